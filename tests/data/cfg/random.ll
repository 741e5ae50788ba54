; ModuleID = '<stdin>'
source_filename = "<stdin>"

declare i32 @c(i32)

declare i1 @b()

define i32 @f0(i32 %a, i32 %d) {
entry:
  %p0 = alloca i32*, align 8
  br label %b3

b0:                                               ; preds = %b3, %b2, %b1, %b0
  %k2 = call i1 @b()
  br i1 %k2, label %b0, label %b3

b1:                                               ; No predecessors!
  br label %b0

b2:                                               ; No predecessors!
  %k4 = call i1 @b()
  br i1 %k4, label %b4, label %b0

b3:                                               ; preds = %b4, %b4, %b3, %b3, %b3, %b0, %entry
  switch i32 %a, label %b0 [
    i32 0, label %b3
    i32 1, label %b3
    i32 2, label %b4
    i32 3, label %b3
  ]

b4:                                               ; preds = %b3, %b2
  switch i32 %a, label %b3 [
    i32 0, label %b3
  ]
}

define i32 @f1(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %l1 = call i32 @c(i32 0)
  br label %b0

b0:                                               ; preds = %b0, %b0, %entry
  store i32 %d, i32* %v1, align 4
  %l4 = load i32, i32* %v1, align 4
  store i32 undef, i32* %v1, align 4
  store i32 %a, i32* %v1, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b0, label %b0
}

define i32 @f2(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  store i32 undef, i32* %v0, align 4
  %l2 = load i32, i32* %v1, align 4
  store i32 0, i32* %v0, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b6, label %b2

b0:                                               ; preds = %b1, %b0
  %l5 = call i32 @c(i32 %d)
  %l6 = load i32, i32* %v0, align 4
  %l7 = call i32 @c(i32 undef)
  store i32 undef, i32* %v1, align 4
  %k9 = call i1 @b()
  br i1 %k9, label %b0, label %b3

b1:                                               ; No predecessors!
  store i32 undef, i32* %v0, align 4
  %l11 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %l13 = call i32 @c(i32 1)
  %k14 = call i1 @b()
  br i1 %k14, label %b0, label %b2

b2:                                               ; preds = %b5, %b1, %entry
  store i32 %a, i32* %v1, align 4
  store i32 undef, i32* %v0, align 4
  %l17 = call i32 @c(i32 undef)
  %l18 = load i32, i32* %v1, align 4
  switch i32 %a, label %b5 [
  ]

b3:                                               ; preds = %b8, %b5, %b0
  store i32 0, i32* %v0, align 4
  %l21 = load i32, i32* %v0, align 4
  %l22 = load i32, i32* %v0, align 4
  ret i32 %d

b4:                                               ; preds = %b4
  store i32 0, i32* %v0, align 4
  store i32 1, i32* %v1, align 4
  %k26 = call i1 @b()
  br i1 %k26, label %b4, label %b7

b5:                                               ; preds = %b5, %b2
  %l27 = load i32, i32* %v1, align 4
  switch i32 %a, label %b3 [
    i32 0, label %b2
    i32 1, label %b5
    i32 2, label %b7
    i32 3, label %b7
  ]

b6:                                               ; preds = %entry
  store i32 %d, i32* %v1, align 4
  %l30 = load i32, i32* %v1, align 4
  %l31 = load i32, i32* %v0, align 4
  store i32 1, i32* %v1, align 4
  ret i32 0

b7:                                               ; preds = %b8, %b5, %b5, %b4
  %l34 = call i32 @c(i32 0)
  ret i32 %a

b8:                                               ; No predecessors!
  store i32 1, i32* %v1, align 4
  %l37 = load i32, i32* %v1, align 4
  %k38 = call i1 @b()
  br i1 %k38, label %b3, label %b7
}

define i32 @f3(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %l1 = load i32, i32* %v1, align 4
  store i32 1, i32* %v1, align 4
  store i32 %l1, i32* %v1, align 4
  br label %b0

b0:                                               ; preds = %b3, %entry
  %l5 = call i32 @c(i32 %a)
  %l6 = load i32, i32* %v1, align 4
  br label %b1

b1:                                               ; preds = %b5, %b2, %b0
  %l8 = load i32, i32* %v3, align 4
  store i32 undef, i32* %v0, align 4
  br label %b5

b2:                                               ; preds = %b4, %b3, %b2
  store i32 undef, i32* %v3, align 4
  %l12 = load i32, i32* %v1, align 4
  %l13 = load i32, i32* %v0, align 4
  %l14 = load i32, i32* %v1, align 4
  %k15 = call i1 @b()
  br i1 %k15, label %b1, label %b2

b3:                                               ; No predecessors!
  %l16 = load i32, i32* %v2, align 4
  %l17 = load i32, i32* %v2, align 4
  switch i32 %a, label %b5 [
    i32 0, label %b4
    i32 1, label %b2
    i32 2, label %b0
  ]

b4:                                               ; preds = %b4, %b3
  store i32 0, i32* %v1, align 4
  store i32 1, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  %k22 = call i1 @b()
  br i1 %k22, label %b2, label %b4

b5:                                               ; preds = %b5, %b3, %b1
  store i32 0, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  %l26 = load i32, i32* %v0, align 4
  %k27 = call i1 @b()
  br i1 %k27, label %b1, label %b5
}

define i32 @f4(i32 %a, i32 %d) {
entry:
  %p0 = alloca i32*, align 8
  br label %b1

b0:                                               ; preds = %b2, %b1, %b1, %b1, %b0
  %k2 = call i1 @b()
  br i1 %k2, label %b0, label %b4

b1:                                               ; preds = %b2, %entry
  switch i32 %a, label %b0 [
    i32 0, label %b0
    i32 1, label %b0
    i32 2, label %b4
  ]

b2:                                               ; No predecessors!
  switch i32 %a, label %b3 [
    i32 0, label %b1
    i32 1, label %b0
  ]

b3:                                               ; preds = %b5, %b5, %b3, %b2
  switch i32 %a, label %b3 [
  ]

b4:                                               ; preds = %b5, %b4, %b1, %b0
  br label %b4

b5:                                               ; No predecessors!
  switch i32 %a, label %b4 [
    i32 0, label %b3
    i32 1, label %b3
  ]
}

define i32 @f5(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  store i32 0, i32* %v0, align 4
  %l2 = load i32, i32* %v0, align 4
  %l3 = load i32, i32* %v1, align 4
  br label %b1

b0:                                               ; preds = %b1, %b1, %b0, %b0
  %l5 = load i32, i32* %v1, align 4
  %k6 = call i1 @b()
  br i1 %k6, label %b0, label %b0

b1:                                               ; preds = %entry
  %l7 = load i32, i32* %v1, align 4
  %k8 = call i1 @b()
  br i1 %k8, label %b0, label %b0
}

define i32 @f6(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 0, i32* %v0, align 4
  br label %b1

b0:                                               ; No predecessors!
  %l3 = call i32 @c(i32 0)
  br label %b4

b1:                                               ; preds = %entry
  store i32* %v0, i32** %p0, align 8
  store i32 %a, i32* %v0, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b4, label %b4

b2:                                               ; preds = %b5, %b5, %b2
  %l8 = load i32, i32* %v0, align 4
  %k9 = call i1 @b()
  br i1 %k9, label %b5, label %b2

b3:                                               ; preds = %b3
  %k10 = call i1 @b()
  br i1 %k10, label %b3, label %b4

b4:                                               ; preds = %b5, %b3, %b1, %b1, %b0
  store i32 1, i32* %v2, align 4
  %l12 = load i32, i32* %v1, align 4
  %l13 = load i32, i32* %v1, align 4
  %k14 = call i1 @b()
  br i1 %k14, label %b5, label %b5

b5:                                               ; preds = %b5, %b4, %b4, %b2
  %l15 = load i32, i32* %v2, align 4
  %l16 = load i32, i32* %v0, align 4
  switch i32 %a, label %b5 [
    i32 0, label %b2
    i32 1, label %b2
    i32 2, label %b4
  ]
}

define i32 @f7(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  store i32 %d, i32* %v0, align 4
  %l2 = load i32, i32* %v0, align 4
  %k3 = call i1 @b()
  br i1 %k3, label %b20, label %b1

b0:                                               ; preds = %b26, %b1
  %l4 = call i32 @c(i32 undef)
  %k5 = call i1 @b()
  br i1 %k5, label %b1, label %b28

b1:                                               ; preds = %b0, %entry
  %l6 = load i32, i32* %v0, align 4
  br label %b0

b2:                                               ; preds = %b5, %b3
  %l8 = call i32 @c(i32 undef)
  %l9 = load i32, i32* %v0, align 4
  %l10 = load i32, i32* %v0, align 4
  switch i32 %a, label %b25 [
  ]

b3:                                               ; preds = %b4
  store i32 0, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  %k15 = call i1 @b()
  br i1 %k15, label %b8, label %b2

b4:                                               ; No predecessors!
  %l16 = load i32, i32* %v0, align 4
  switch i32 %a, label %b12 [
    i32 0, label %b3
    i32 1, label %b5
    i32 2, label %b6
  ]

b5:                                               ; preds = %b8, %b7, %b4
  %k18 = call i1 @b()
  br i1 %k18, label %b2, label %b8

b6:                                               ; preds = %b23, %b4
  store i32 %a, i32* %v0, align 4
  switch i32 %a, label %b7 [
  ]

b7:                                               ; preds = %b24, %b6
  %k21 = call i1 @b()
  br i1 %k21, label %b26, label %b5

b8:                                               ; preds = %b5, %b3
  store i32 0, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %k24 = call i1 @b()
  br i1 %k24, label %b11, label %b5

b9:                                               ; preds = %b21
  store i32 %a, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l27 = load i32, i32* %v0, align 4
  %l28 = call i32 @c(i32 %a)
  ret i32 %l27

b10:                                              ; No predecessors!
  %k30 = call i1 @b()
  br i1 %k30, label %b24, label %b20

b11:                                              ; preds = %b13, %b8
  store i32 undef, i32* %v0, align 4
  %k32 = call i1 @b()
  br i1 %k32, label %b13, label %b12

b12:                                              ; preds = %b13, %b11, %b4
  %l33 = load i32, i32* %v0, align 4
  %l34 = load i32, i32* %v0, align 4
  %k35 = call i1 @b()
  br i1 %k35, label %b14, label %b15

b13:                                              ; preds = %b11
  %k36 = call i1 @b()
  br i1 %k36, label %b11, label %b12

b14:                                              ; preds = %b12
  %l37 = call i32 @c(i32 1)
  %l38 = call i32 @c(i32 %l37)
  store i32 1, i32* %v0, align 4
  %l40 = load i32, i32* %v0, align 4
  ret i32 %l38

b15:                                              ; preds = %b23, %b18, %b12
  %l42 = call i32 @c(i32 0)
  store i32 %l42, i32* %v0, align 4
  store i32 %l42, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %k46 = call i1 @b()
  br i1 %k46, label %b18, label %b25

b16:                                              ; No predecessors!
  store i32 undef, i32* %v0, align 4
  %l48 = load i32, i32* %v0, align 4
  br label %b27

b17:                                              ; preds = %b18
  %l50 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l52 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  ret i32 %a

b18:                                              ; preds = %b19, %b15
  %l55 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  %k58 = call i1 @b()
  br i1 %k58, label %b17, label %b15

b19:                                              ; preds = %b21
  store i32 undef, i32* %v0, align 4
  %l60 = load i32, i32* %v0, align 4
  %l61 = load i32, i32* %v0, align 4
  %l62 = load i32, i32* %v0, align 4
  br label %b18

b20:                                              ; preds = %b10, %entry
  store i32 0, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  %l66 = load i32, i32* %v0, align 4
  %l67 = call i32 @c(i32 %d)
  %k68 = call i1 @b()
  br i1 %k68, label %b22, label %b27

b21:                                              ; No predecessors!
  store i32 %d, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l72 = load i32, i32* %v0, align 4
  %k73 = call i1 @b()
  br i1 %k73, label %b19, label %b9

b22:                                              ; preds = %b20
  ret i32 1

b23:                                              ; preds = %b28, %b24
  %l75 = call i32 @c(i32 %d)
  %l76 = load i32, i32* %v0, align 4
  %k77 = call i1 @b()
  br i1 %k77, label %b6, label %b15

b24:                                              ; preds = %b26, %b10
  %l78 = load i32, i32* %v0, align 4
  %l79 = load i32, i32* %v0, align 4
  %l80 = load i32, i32* %v0, align 4
  %l81 = load i32, i32* %v0, align 4
  %k82 = call i1 @b()
  br i1 %k82, label %b7, label %b23

b25:                                              ; preds = %b15, %b2
  %l83 = load i32, i32* %v0, align 4
  %l84 = load i32, i32* %v0, align 4
  %l85 = call i32 @c(i32 %a)
  ret i32 %a

b26:                                              ; preds = %b29, %b7
  %l87 = call i32 @c(i32 undef)
  %l88 = call i32 @c(i32 1)
  %l89 = call i32 @c(i32 %l88)
  %k90 = call i1 @b()
  br i1 %k90, label %b0, label %b24

b27:                                              ; preds = %b20, %b16
  store i32 0, i32* %v0, align 4
  %l92 = load i32, i32* %v0, align 4
  %l93 = call i32 @c(i32 %a)
  store i32 %d, i32* %v0, align 4
  ret i32 0

b28:                                              ; preds = %b28, %b0
  %k96 = call i1 @b()
  br i1 %k96, label %b28, label %b23

b29:                                              ; preds = %b29
  store i32 1, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %k99 = call i1 @b()
  br i1 %k99, label %b26, label %b29
}

define i32 @f8(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %l1 = load i32, i32* %v2, align 4
  store i32 undef, i32* %v0, align 4
  %k3 = call i1 @b()
  br i1 %k3, label %b2, label %b0

b0:                                               ; preds = %b1, %b0, %entry
  br label %b0

b1:                                               ; preds = %b2
  switch i32 %a, label %b0 [
  ]

b2:                                               ; preds = %b2, %b2, %entry
  switch i32 %a, label %b2 [
    i32 0, label %b1
    i32 1, label %b2
  ]
}

define i32 @f9(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 0, i32* %v0, align 4
  %l2 = load i32, i32* %v0, align 4
  %l3 = load i32, i32* %v0, align 4
  br label %b1

b0:                                               ; preds = %b1
  store i32 0, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  ret i32 %d

b1:                                               ; preds = %b1, %entry
  %l8 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l10 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  %k12 = call i1 @b()
  br i1 %k12, label %b0, label %b1
}

define i32 @f10(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v1, align 4
  %l2 = load i32, i32* %v1, align 4
  %l3 = load i32, i32* %v0, align 4
  %l4 = load i32, i32* %v1, align 4
  br label %b1

b0:                                               ; preds = %b1, %b1, %b0
  store i32 %d, i32* %v0, align 4
  store i32* %v1, i32** %p0, align 8
  store i32 undef, i32* %v1, align 4
  store i32 0, i32* %v0, align 4
  %k10 = call i1 @b()
  br i1 %k10, label %b1, label %b0

b1:                                               ; preds = %b1, %b0, %entry
  %l11 = load i32, i32* %v0, align 4
  store i32 0, i32* %v1, align 4
  store i32 %l11, i32* %v0, align 4
  %l14 = load i32, i32* %v1, align 4
  switch i32 %a, label %b1 [
    i32 0, label %b0
    i32 1, label %b0
  ]
}

define i32 @f11(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %l1 = call i32 @c(i32 %d)
  %l2 = call i32 @c(i32 undef)
  store i32 undef, i32* %v0, align 4
  store i32 %d, i32* %v1, align 4
  br label %b0

b0:                                               ; preds = %b0, %b0, %entry
  %k6 = call i1 @b()
  br i1 %k6, label %b0, label %b0
}

define i32 @f12(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v2, align 4
  store i32 %d, i32* %v1, align 4
  store i32 0, i32* %v3, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b0, label %b0

b0:                                               ; preds = %b0, %entry, %entry
  %l5 = load i32, i32* %v1, align 4
  store i32 1, i32* %v3, align 4
  %l7 = load i32, i32* %v0, align 4
  switch i32 %a, label %b0 [
  ]
}

define i32 @f13(i32 %a, i32 %d) {
entry:
  switch i32 %a, label %b0 [
    i32 0, label %b0
    i32 1, label %b1
    i32 2, label %b2
    i32 3, label %b0
  ]

b0:                                               ; preds = %b4, %b0, %b0, %entry, %entry, %entry
  switch i32 %a, label %b0 [
    i32 0, label %b6
    i32 1, label %b4
    i32 2, label %b0
    i32 3, label %b1
  ]

b1:                                               ; preds = %b0, %entry
  unreachable

b2:                                               ; preds = %b3, %b3, %entry
  %k4 = call i1 @b()
  br i1 %k4, label %b4, label %b6

b3:                                               ; No predecessors!
  %k5 = call i1 @b()
  br i1 %k5, label %b2, label %b2

b4:                                               ; preds = %b2, %b0
  switch i32 %a, label %b0 [
  ]

b5:                                               ; preds = %b6
  switch i32 %a, label %b6 [
    i32 0, label %b7
    i32 1, label %b7
  ]

b6:                                               ; preds = %b5, %b2, %b0
  %k8 = call i1 @b()
  br i1 %k8, label %b7, label %b5

b7:                                               ; preds = %b6, %b5, %b5
  unreachable
}

define i32 @f14(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 0, i32* %v0, align 4
  %l2 = load i32, i32* %v0, align 4
  %k3 = call i1 @b()
  br i1 %k3, label %b0, label %b0

b0:                                               ; preds = %b0, %entry, %entry
  store i32 1, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  %l6 = load i32, i32* %v0, align 4
  switch i32 %a, label %b0 [
  ]
}

define i32 @f15(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  store i32 %a, i32* %v2, align 4
  %l2 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b1, label %b0

b0:                                               ; preds = %entry
  %l5 = load i32, i32* %v2, align 4
  store i32 0, i32* %v2, align 4
  %l7 = load i32, i32* %v2, align 4
  store i32 %l5, i32* %v1, align 4
  switch i32 %a, label %b2 [
  ]

b1:                                               ; preds = %b2, %entry
  store i32 0, i32* %v0, align 4
  store i32 1, i32* %v2, align 4
  store i32 1, i32* %v0, align 4
  ret i32 1

b2:                                               ; preds = %b2, %b0
  %l14 = load i32, i32* %v2, align 4
  %l15 = load i32, i32* %v2, align 4
  %l16 = call i32 @c(i32 undef)
  %l17 = call i32 @c(i32 1)
  %k18 = call i1 @b()
  br i1 %k18, label %b1, label %b2
}

define i32 @f16(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %l1 = load i32, i32* %v1, align 4
  %l2 = load i32, i32* %v0, align 4
  %l3 = load i32, i32* %v1, align 4
  %l4 = load i32, i32* %v0, align 4
  br label %b0

b0:                                               ; preds = %b2, %b1, %b0, %entry
  store i32 undef, i32* %v0, align 4
  %l7 = call i32 @c(i32 0)
  store i32 0, i32* %v1, align 4
  store i32 1, i32* %v1, align 4
  br label %b0

b1:                                               ; No predecessors!
  store i32 undef, i32* %v0, align 4
  %k12 = call i1 @b()
  br i1 %k12, label %b0, label %b2

b2:                                               ; preds = %b1
  %l13 = load i32, i32* %v0, align 4
  %k14 = call i1 @b()
  br i1 %k14, label %b0, label %b11

b3:                                               ; preds = %b6, %b6
  %l15 = load i32, i32* %v0, align 4
  store i32 %l15, i32* %v0, align 4
  ret i32 undef

b4:                                               ; preds = %b5
  %l18 = load i32, i32* %v1, align 4
  ret i32 %a

b5:                                               ; preds = %b8
  %l20 = load i32, i32* %v0, align 4
  %l21 = load i32, i32* %v0, align 4
  %k22 = call i1 @b()
  br i1 %k22, label %b4, label %b8

b6:                                               ; No predecessors!
  %l23 = load i32, i32* %v0, align 4
  %l24 = load i32, i32* %v1, align 4
  %l25 = call i32 @c(i32 %d)
  %k26 = call i1 @b()
  br i1 %k26, label %b3, label %b3

b7:                                               ; No predecessors!
  %l27 = load i32, i32* %v1, align 4
  %l28 = load i32, i32* %v0, align 4
  ret i32 1

b8:                                               ; preds = %b9, %b5
  %l30 = load i32, i32* %v0, align 4
  %l31 = load i32, i32* %v1, align 4
  %k32 = call i1 @b()
  br i1 %k32, label %b5, label %b11

b9:                                               ; preds = %b9
  %l33 = load i32, i32* %v1, align 4
  %k34 = call i1 @b()
  br i1 %k34, label %b8, label %b9

b10:                                              ; No predecessors!
  %l35 = load i32, i32* %v1, align 4
  store i32 undef, i32* %v0, align 4
  %l37 = load i32, i32* %v0, align 4
  %l38 = load i32, i32* %v0, align 4
  br label %b11

b11:                                              ; preds = %b11, %b10, %b8, %b2
  br label %b11
}

define i32 @f17(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %k1 = call i1 @b()
  br i1 %k1, label %b0, label %b0

b0:                                               ; preds = %b1, %b0, %entry, %entry
  store i32 1, i32* %v0, align 4
  %l3 = load i32, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  br label %b0

b1:                                               ; preds = %b2, %b1
  %l7 = load i32, i32* %v0, align 4
  %l8 = load i32, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  switch i32 %a, label %b6 [
    i32 0, label %b1
    i32 1, label %b4
    i32 2, label %b3
    i32 3, label %b0
  ]

b2:                                               ; preds = %b4
  store i32 %a, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  %k14 = call i1 @b()
  br i1 %k14, label %b5, label %b1

b3:                                               ; preds = %b1
  store i32 %d, i32* %v0, align 4
  %l16 = load i32, i32* %v0, align 4
  store i32* %v0, i32** %p0, align 8
  store i32 %l16, i32* %v0, align 4
  br label %b5

b4:                                               ; preds = %b6, %b1
  store i32 1, i32* %v0, align 4
  %l21 = load i32, i32* %v0, align 4
  %k22 = call i1 @b()
  br i1 %k22, label %b7, label %b2

b5:                                               ; preds = %b7, %b3, %b2
  br label %b6

b6:                                               ; preds = %b5, %b1
  store i32* %v0, i32** %p0, align 8
  %k25 = call i1 @b()
  br i1 %k25, label %b7, label %b4

b7:                                               ; preds = %b7, %b6, %b4
  %l26 = load i32, i32* %v0, align 4
  %l27 = load i32, i32* %v0, align 4
  %l28 = call i32 @c(i32 0)
  %k29 = call i1 @b()
  br i1 %k29, label %b7, label %b5
}

define i32 @f18(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 undef, i32* %v0, align 4
  %q2 = load i32*, i32** %p0, align 8
  store i32 %d, i32* %q2, align 4
  %l3 = load i32, i32* %v0, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b20, label %b0

b0:                                               ; preds = %b2, %b0, %entry
  store i32 0, i32* %v0, align 4
  %l6 = load i32, i32* %v0, align 4
  %q7 = load i32*, i32** %p0, align 8
  store i32 %a, i32* %q7, align 4
  %k8 = call i1 @b()
  br i1 %k8, label %b7, label %b0

b1:                                               ; preds = %b1
  %k9 = call i1 @b()
  br i1 %k9, label %b1, label %b5

b2:                                               ; preds = %b4, %b2
  %l10 = load i32, i32* %v0, align 4
  %l11 = load i32, i32* %v0, align 4
  %k12 = call i1 @b()
  br i1 %k12, label %b2, label %b0

b3:                                               ; No predecessors!
  store i32 undef, i32* %v0, align 4
  %l14 = load i32, i32* %v0, align 4
  %l15 = load i32, i32* %v0, align 4
  %l16 = load i32, i32* %v0, align 4
  %k17 = call i1 @b()
  br i1 %k17, label %b15, label %b4

b4:                                               ; preds = %b6, %b3
  %l18 = load i32, i32* %v0, align 4
  switch i32 %a, label %b6 [
    i32 0, label %b2
    i32 1, label %b10
    i32 2, label %b20
  ]

b5:                                               ; preds = %b6, %b1
  store i32 1, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l22 = load i32, i32* %v0, align 4
  br label %b8

b6:                                               ; preds = %b4
  store i32 0, i32* %v0, align 4
  switch i32 %a, label %b5 [
    i32 0, label %b7
    i32 1, label %b4
  ]

b7:                                               ; preds = %b6, %b0
  %l26 = load i32, i32* %v0, align 4
  ret i32 undef

b8:                                               ; preds = %b11, %b8, %b5
  store i32 %d, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l30 = load i32, i32* %v0, align 4
  %l31 = load i32, i32* %v0, align 4
  %k32 = call i1 @b()
  br i1 %k32, label %b8, label %b10

b9:                                               ; No predecessors!
  store i32 undef, i32* %v0, align 4
  ret i32 %d

b10:                                              ; preds = %b8, %b4
  %l35 = load i32, i32* %v0, align 4
  %l36 = load i32, i32* %v0, align 4
  %l37 = load i32, i32* %v0, align 4
  %k38 = call i1 @b()
  br i1 %k38, label %b11, label %b11

b11:                                              ; preds = %b14, %b10, %b10
  store i32 %a, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  %k41 = call i1 @b()
  br i1 %k41, label %b14, label %b8

b12:                                              ; No predecessors!
  %k42 = call i1 @b()
  br i1 %k42, label %b15, label %b14

b13:                                              ; No predecessors!
  ret i32 1

b14:                                              ; preds = %b18, %b12, %b11
  store i32 undef, i32* %v0, align 4
  %l45 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  br label %b11

b15:                                              ; preds = %b12, %b3
  store i32 undef, i32* %v0, align 4
  %k50 = call i1 @b()
  br i1 %k50, label %b17, label %b17

b16:                                              ; preds = %b18, %b17
  store i32* %v0, i32** %p0, align 8
  store i32 1, i32* %v0, align 4
  %l53 = load i32, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  br label %b19

b17:                                              ; preds = %b15, %b15
  %k56 = call i1 @b()
  br i1 %k56, label %b19, label %b16

b18:                                              ; No predecessors!
  %l57 = load i32, i32* %v0, align 4
  %k58 = call i1 @b()
  br i1 %k58, label %b14, label %b16

b19:                                              ; preds = %b17, %b16
  store i32 1, i32* %v0, align 4
  %l60 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  %l62 = load i32, i32* %v0, align 4
  ret i32 %a

b20:                                              ; preds = %b20, %b4, %entry
  store i32* %v0, i32** %p0, align 8
  store i32 undef, i32* %v0, align 4
  %l66 = call i32 @c(i32 undef)
  %l67 = load i32, i32* %v0, align 4
  br label %b20
}

define i32 @f19(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 1, i32* %v0, align 4
  %l2 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v1, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b2, label %b0

b0:                                               ; preds = %b2, %entry
  %l5 = load i32, i32* %v1, align 4
  store i32 %a, i32* %v0, align 4
  ret i32 undef

b1:                                               ; No predecessors!
  ret i32 0

b2:                                               ; preds = %b4, %b2, %entry
  store i32 %a, i32* %v1, align 4
  store i32 1, i32* %v1, align 4
  switch i32 %a, label %b3 [
    i32 0, label %b5
    i32 1, label %b0
    i32 2, label %b2
  ]

b3:                                               ; preds = %b4, %b2
  store i32* %v0, i32** %p0, align 8
  unreachable

b4:                                               ; preds = %b6
  %k14 = call i1 @b()
  br i1 %k14, label %b3, label %b2

b5:                                               ; preds = %b5, %b2
  %l15 = load i32, i32* %v1, align 4
  store i32 %d, i32* %v0, align 4
  %k17 = call i1 @b()
  br i1 %k17, label %b5, label %b6

b6:                                               ; preds = %b6, %b5
  %l18 = load i32, i32* %v0, align 4
  store i32* %v0, i32** %p0, align 8
  %l20 = load i32, i32* %v1, align 4
  %l21 = load i32, i32* %v0, align 4
  %k22 = call i1 @b()
  br i1 %k22, label %b4, label %b6
}

define i32 @f20(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 0, i32* %v0, align 4
  switch i32 %a, label %b0 [
  ]

b0:                                               ; preds = %entry
  store i32 %a, i32* %v2, align 4
  %l4 = call i32 @c(i32 1)
  store i32* %v1, i32** %p0, align 8
  ret i32 undef

b1:                                               ; preds = %b1
  %l7 = load i32, i32* %v3, align 4
  %l8 = load i32, i32* %v1, align 4
  %l9 = call i32 @c(i32 undef)
  store i32 %l9, i32* %v0, align 4
  br label %b1
}

define i32 @f21(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  br label %b0

b0:                                               ; preds = %b2, %b2, %b1, %entry
  %l2 = load i32, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  ret i32 undef

b1:                                               ; No predecessors!
  %l5 = load i32, i32* %v0, align 4
  br label %b0

b2:                                               ; preds = %b5
  %l7 = load i32, i32* %v0, align 4
  %l8 = load i32, i32* %v0, align 4
  %l9 = call i32 @c(i32 undef)
  %k10 = call i1 @b()
  br i1 %k10, label %b0, label %b0

b3:                                               ; preds = %b9
  store i32 undef, i32* %v1, align 4
  %l12 = load i32, i32* %v1, align 4
  %l13 = load i32, i32* %v1, align 4
  %l14 = call i32 @c(i32 %l13)
  %k15 = call i1 @b()
  br i1 %k15, label %b8, label %b9

b4:                                               ; preds = %b8, %b5
  store i32 %d, i32* %v1, align 4
  store i32 undef, i32* %v1, align 4
  store i32 1, i32* %v1, align 4
  %l19 = load i32, i32* %v1, align 4
  ret i32 %a

b5:                                               ; No predecessors!
  %l21 = call i32 @c(i32 %d)
  %l22 = load i32, i32* %v1, align 4
  %l23 = call i32 @c(i32 %l21)
  switch i32 %a, label %b8 [
    i32 0, label %b2
    i32 1, label %b8
    i32 2, label %b4
  ]

b6:                                               ; preds = %b9
  %l25 = load i32, i32* %v0, align 4
  %l26 = load i32, i32* %v0, align 4
  store i32 %l26, i32* %v1, align 4
  %l28 = load i32, i32* %v0, align 4
  ret i32 %d

b7:                                               ; preds = %b9, %b9, %b9
  unreachable

b8:                                               ; preds = %b5, %b5, %b3
  store i32 %d, i32* %v1, align 4
  %l32 = call i32 @c(i32 %d)
  %k33 = call i1 @b()
  br i1 %k33, label %b9, label %b4

b9:                                               ; preds = %b8, %b3
  %l34 = load i32, i32* %v1, align 4
  store i32 %a, i32* %v1, align 4
  switch i32 %a, label %b7 [
    i32 0, label %b7
    i32 1, label %b3
    i32 2, label %b6
    i32 3, label %b7
  ]
}

define i32 @f22(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  store i32 %d, i32* %v1, align 4
  %l2 = call i32 @c(i32 1)
  %k3 = call i1 @b()
  br i1 %k3, label %b8, label %b0

b0:                                               ; preds = %entry
  %k4 = call i1 @b()
  br i1 %k4, label %b1, label %b6

b1:                                               ; preds = %b4, %b4, %b0
  %k5 = call i1 @b()
  br i1 %k5, label %b10, label %b2

b2:                                               ; preds = %b1
  %l6 = load i32, i32* %v1, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b3, label %b3

b3:                                               ; preds = %b5, %b2, %b2
  %l8 = load i32, i32* %v0, align 4
  ret i32 %a

b4:                                               ; No predecessors!
  store i32 1, i32* %v0, align 4
  %k11 = call i1 @b()
  br i1 %k11, label %b1, label %b1

b5:                                               ; No predecessors!
  %l12 = load i32, i32* %v1, align 4
  store i32 undef, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  store i32 undef, i32* %v1, align 4
  br label %b3

b6:                                               ; preds = %b9, %b0
  %l17 = load i32, i32* %v0, align 4
  %l18 = load i32, i32* %v1, align 4
  %l19 = load i32, i32* %v1, align 4
  ret i32 0

b7:                                               ; No predecessors!
  store i32 %d, i32* %v0, align 4
  %l22 = load i32, i32* %v0, align 4
  %l23 = load i32, i32* %v0, align 4
  %l24 = call i32 @c(i32 %d)
  ret i32 %l24

b8:                                               ; preds = %entry
  %l26 = load i32, i32* %v0, align 4
  br label %b9

b9:                                               ; preds = %b8
  %k28 = call i1 @b()
  br i1 %k28, label %b10, label %b6

b10:                                              ; preds = %b9, %b1
  store i32 %a, i32* %v0, align 4
  ret i32 %d

b11:                                              ; preds = %b11
  store i32 %d, i32* %v1, align 4
  store i32 %d, i32* %v0, align 4
  br label %b11
}

define i32 @f23(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  store i32 1, i32* %v0, align 4
  %l2 = call i32 @c(i32 undef)
  %l3 = load i32, i32* %v2, align 4
  br label %b8

b0:                                               ; preds = %b13, %b3, %b2, %b0
  %l5 = call i32 @c(i32 0)
  %l6 = load i32, i32* %v1, align 4
  %l7 = load i32, i32* %v1, align 4
  %l8 = call i32 @c(i32 %a)
  br label %b0

b1:                                               ; No predecessors!
  %l10 = call i32 @c(i32 %d)
  store i32 %l10, i32* %v0, align 4
  %l12 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  br label %b5

b2:                                               ; No predecessors!
  %l15 = load i32, i32* %v1, align 4
  %l16 = load i32, i32* %v1, align 4
  br label %b0

b3:                                               ; No predecessors!
  %l18 = load i32, i32* %v2, align 4
  %k19 = call i1 @b()
  br i1 %k19, label %b0, label %b23

b4:                                               ; preds = %b10
  %l20 = load i32, i32* %v2, align 4
  switch i32 %a, label %b7 [
    i32 0, label %b25
    i32 1, label %b7
  ]

b5:                                               ; preds = %b1
  store i32 %d, i32* %v1, align 4
  %l23 = load i32, i32* %v1, align 4
  br label %b25

b6:                                               ; preds = %b6
  %l25 = load i32, i32* %v0, align 4
  %k26 = call i1 @b()
  br i1 %k26, label %b6, label %b9

b7:                                               ; preds = %b8, %b4, %b4
  br label %b8

b8:                                               ; preds = %b16, %b7, %entry
  br label %b7

b9:                                               ; preds = %b25, %b6
  %l29 = call i32 @c(i32 %d)
  %l30 = load i32, i32* %v0, align 4
  br label %b10

b10:                                              ; preds = %b17, %b11, %b9
  store i32 1, i32* %v2, align 4
  store i32 %d, i32* %v2, align 4
  %l34 = call i32 @c(i32 %d)
  store i32 0, i32* %v1, align 4
  br label %b4

b11:                                              ; No predecessors!
  %l37 = load i32, i32* %v0, align 4
  br label %b10

b12:                                              ; preds = %b12
  %k39 = call i1 @b()
  br i1 %k39, label %b27, label %b12

b13:                                              ; No predecessors!
  %l40 = load i32, i32* %v2, align 4
  %k41 = call i1 @b()
  br i1 %k41, label %b21, label %b0

b14:                                              ; preds = %b25
  %l42 = call i32 @c(i32 undef)
  ret i32 %a

b15:                                              ; No predecessors!
  store i32 %d, i32* %v1, align 4
  %l45 = load i32, i32* %v1, align 4
  br label %b18

b16:                                              ; preds = %b23
  %l47 = load i32, i32* %v2, align 4
  %l48 = load i32, i32* %v2, align 4
  br label %b8

b17:                                              ; No predecessors!
  switch i32 %a, label %b10 [
  ]

b18:                                              ; preds = %b15
  %l51 = load i32, i32* %v1, align 4
  br label %b27

b19:                                              ; preds = %b27, %b20, %b19
  %l53 = load i32, i32* %v1, align 4
  %l54 = load i32, i32* %v0, align 4
  %k55 = call i1 @b()
  br i1 %k55, label %b19, label %b20

b20:                                              ; preds = %b19
  %l56 = load i32, i32* %v1, align 4
  %k57 = call i1 @b()
  br i1 %k57, label %b21, label %b19

b21:                                              ; preds = %b20, %b13
  %l58 = load i32, i32* %v1, align 4
  ret i32 0

b22:                                              ; No predecessors!
  store i32 %d, i32* %v2, align 4
  %l61 = call i32 @c(i32 %d)
  %l62 = call i32 @c(i32 %d)
  store i32 %d, i32* %v0, align 4
  ret i32 %a

b23:                                              ; preds = %b23, %b3
  %k65 = call i1 @b()
  br i1 %k65, label %b23, label %b16

b24:                                              ; No predecessors!
  store i32 1, i32* %v2, align 4
  ret i32 undef

b25:                                              ; preds = %b5, %b4
  store i32 undef, i32* %v2, align 4
  %l69 = load i32, i32* %v2, align 4
  %l70 = load i32, i32* %v2, align 4
  %l71 = load i32, i32* %v1, align 4
  %k72 = call i1 @b()
  br i1 %k72, label %b9, label %b14

b26:                                              ; preds = %b26
  %l73 = load i32, i32* %v0, align 4
  %l74 = call i32 @c(i32 %a)
  switch i32 %a, label %b27 [
    i32 0, label %b26
  ]

b27:                                              ; preds = %b27, %b26, %b18, %b12
  %k76 = call i1 @b()
  br i1 %k76, label %b19, label %b27
}

define i32 @f24(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v0, align 4
  %l2 = call i32 @c(i32 0)
  %l3 = load i32, i32* %v0, align 4
  switch i32 %a, label %b2 [
    i32 0, label %b0
  ]

b0:                                               ; preds = %b1, %b1, %b0, %entry
  store i32 0, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  br label %b0

b1:                                               ; preds = %b4, %b3, %b3
  %l9 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %k11 = call i1 @b()
  br i1 %k11, label %b0, label %b0

b2:                                               ; preds = %b3, %b3, %b2, %b2, %entry
  %k12 = call i1 @b()
  br i1 %k12, label %b2, label %b2

b3:                                               ; preds = %b3
  %l13 = load i32, i32* %v0, align 4
  switch i32 %a, label %b1 [
    i32 0, label %b3
    i32 1, label %b2
    i32 2, label %b1
    i32 3, label %b2
  ]

b4:                                               ; preds = %b4, %b4
  store i32 %a, i32* %v0, align 4
  switch i32 %a, label %b4 [
    i32 0, label %b4
    i32 1, label %b1
  ]
}

define i32 @f25(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v2, align 4
  store i32 1, i32* %v1, align 4
  switch i32 %a, label %b7 [
    i32 0, label %b0
    i32 1, label %b0
    i32 2, label %b3
    i32 3, label %b3
  ]

b0:                                               ; preds = %b4, %b1, %b0, %entry, %entry
  store i32* %v2, i32** %p0, align 8
  store i32 1, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b6, label %b0

b1:                                               ; preds = %b4, %b3, %b1
  store i32 0, i32* %v1, align 4
  store i32 0, i32* %v2, align 4
  %l10 = load i32, i32* %v1, align 4
  %k11 = call i1 @b()
  br i1 %k11, label %b1, label %b0

b2:                                               ; preds = %b7, %b2
  %l12 = load i32, i32* %v1, align 4
  %l13 = call i32 @c(i32 undef)
  %l14 = load i32, i32* %v2, align 4
  %l15 = load i32, i32* %v2, align 4
  %k16 = call i1 @b()
  br i1 %k16, label %b2, label %b8

b3:                                               ; preds = %b6, %entry, %entry
  %l17 = load i32, i32* %v0, align 4
  br label %b1

b4:                                               ; No predecessors!
  %k19 = call i1 @b()
  br i1 %k19, label %b0, label %b1

b5:                                               ; preds = %b6, %b5
  %l20 = load i32, i32* %v1, align 4
  store i32* %v2, i32** %p0, align 8
  switch i32 %a, label %b8 [
    i32 0, label %b5
    i32 1, label %b7
  ]

b6:                                               ; preds = %b8, %b0
  store i32 %a, i32* %v2, align 4
  store i32 0, i32* %v1, align 4
  store i32 undef, i32* %v2, align 4
  %k26 = call i1 @b()
  br i1 %k26, label %b3, label %b5

b7:                                               ; preds = %b8, %b5, %entry
  store i32 0, i32* %v0, align 4
  %l28 = load i32, i32* %v0, align 4
  %l29 = load i32, i32* %v1, align 4
  %k30 = call i1 @b()
  br i1 %k30, label %b8, label %b2

b8:                                               ; preds = %b7, %b5, %b2
  %l31 = load i32, i32* %v0, align 4
  store i32 %l31, i32* %v1, align 4
  switch i32 %a, label %b7 [
    i32 0, label %b6
  ]
}

define i32 @f26(i32 %a, i32 %d) {
entry:
  %p0 = alloca i32*, align 8
  %k1 = call i1 @b()
  br i1 %k1, label %b0, label %b1

b0:                                               ; preds = %b1, %b1, %b0, %entry
  %k2 = call i1 @b()
  br i1 %k2, label %b1, label %b0

b1:                                               ; preds = %b0, %entry
  %k3 = call i1 @b()
  br i1 %k3, label %b0, label %b0
}

define i32 @f27(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  store i32 0, i32* %v1, align 4
  switch i32 %a, label %b0 [
    i32 0, label %b0
    i32 1, label %b0
    i32 2, label %b1
  ]

b0:                                               ; preds = %b1, %b0, %entry, %entry, %entry
  %k3 = call i1 @b()
  br i1 %k3, label %b0, label %b1

b1:                                               ; preds = %b3, %b0, %entry
  %k4 = call i1 @b()
  br i1 %k4, label %b0, label %b2

b2:                                               ; preds = %b1
  %k5 = call i1 @b()
  br i1 %k5, label %b4, label %b4

b3:                                               ; No predecessors!
  %l6 = load i32, i32* %v2, align 4
  %l7 = load i32, i32* %v1, align 4
  %l8 = call i32 @c(i32 1)
  %k9 = call i1 @b()
  br i1 %k9, label %b4, label %b1

b4:                                               ; preds = %b3, %b2, %b2
  unreachable
}

define i32 @f28(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 %a, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  %l3 = load i32, i32* %v0, align 4
  switch i32 %a, label %b0 [
    i32 0, label %b0
  ]

b0:                                               ; preds = %entry, %entry
  store i32 %a, i32* %v0, align 4
  %l6 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  ret i32 %d
}

define i32 @f29(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %l1 = load i32, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  %k3 = call i1 @b()
  br i1 %k3, label %b1, label %b0

b0:                                               ; preds = %b1, %b0, %entry
  %l4 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  %l6 = load i32, i32* %v0, align 4
  store i32 %l4, i32* %v0, align 4
  br label %b0

b1:                                               ; preds = %b1, %entry
  %l9 = load i32, i32* %v0, align 4
  %l10 = load i32, i32* %v0, align 4
  %l11 = load i32, i32* %v0, align 4
  %l12 = load i32, i32* %v0, align 4
  %k13 = call i1 @b()
  br i1 %k13, label %b0, label %b1
}

define i32 @f30(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v2, align 4
  %l2 = load i32, i32* %v2, align 4
  store i32 %d, i32* %v2, align 4
  br label %b1

b0:                                               ; preds = %b0
  store i32 0, i32* %v1, align 4
  %l6 = load i32, i32* %v2, align 4
  %l7 = load i32, i32* %v2, align 4
  br label %b0

b1:                                               ; preds = %b2, %entry
  %l9 = load i32, i32* %v2, align 4
  store i32 %l9, i32* %v2, align 4
  store i32 1, i32* %v2, align 4
  %l12 = load i32, i32* %v2, align 4
  ret i32 %d

b2:                                               ; preds = %b2
  store i32 0, i32* %v0, align 4
  store i32 undef, i32* %v1, align 4
  %l16 = load i32, i32* %v1, align 4
  %k17 = call i1 @b()
  br i1 %k17, label %b2, label %b1
}

define i32 @f31(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v2, align 4
  store i32 0, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  store i32 %l1, i32* %v0, align 4
  switch i32 %a, label %b18 [
    i32 0, label %b1
    i32 1, label %b0
    i32 2, label %b22
  ]

b0:                                               ; preds = %b2, %entry
  %l6 = load i32, i32* %v3, align 4
  store i32 undef, i32* %v3, align 4
  %l8 = load i32, i32* %v0, align 4
  store i32 %l8, i32* %v0, align 4
  ret i32 undef

b1:                                               ; preds = %b4, %entry
  store i32 %d, i32* %v2, align 4
  store i32 %d, i32* %v1, align 4
  %l13 = load i32, i32* %v1, align 4
  store i32* %v2, i32** %p0, align 8
  %k15 = call i1 @b()
  br i1 %k15, label %b2, label %b2

b2:                                               ; preds = %b17, %b1, %b1
  store i32* %v0, i32** %p0, align 8
  br label %b0

b3:                                               ; preds = %b11
  store i32 1, i32* %v2, align 4
  store i32 %a, i32* %v3, align 4
  %l20 = load i32, i32* %v1, align 4
  %k21 = call i1 @b()
  br i1 %k21, label %b13, label %b13

b4:                                               ; preds = %b17, %b7, %b6
  store i32 %d, i32* %v2, align 4
  store i32 %d, i32* %v1, align 4
  %k24 = call i1 @b()
  br i1 %k24, label %b1, label %b10

b5:                                               ; preds = %b5
  %l25 = load i32, i32* %v1, align 4
  %k26 = call i1 @b()
  br i1 %k26, label %b16, label %b5

b6:                                               ; preds = %b6
  store i32 0, i32* %v0, align 4
  %l28 = call i32 @c(i32 %d)
  store i32 1, i32* %v1, align 4
  store i32 1, i32* %v0, align 4
  %k31 = call i1 @b()
  br i1 %k31, label %b4, label %b6

b7:                                               ; No predecessors!
  switch i32 %a, label %b13 [
    i32 0, label %b4
  ]

b8:                                               ; preds = %b23, %b23
  store i32 %a, i32* %v1, align 4
  br label %b10

b9:                                               ; No predecessors!
  %l35 = load i32, i32* %v3, align 4
  store i32 %a, i32* %v3, align 4
  %q37 = load i32*, i32** %p0, align 8
  store i32 %d, i32* %q37, align 4
  %l38 = load i32, i32* %v3, align 4
  br label %b20

b10:                                              ; preds = %b8, %b4
  br label %b11

b11:                                              ; preds = %b10
  store i32 %a, i32* %v2, align 4
  store i32 %d, i32* %v2, align 4
  %q43 = load i32*, i32** %p0, align 8
  store i32 %a, i32* %q43, align 4
  %k44 = call i1 @b()
  br i1 %k44, label %b3, label %b14

b12:                                              ; No predecessors!
  %l45 = load i32, i32* %v0, align 4
  %l46 = load i32, i32* %v0, align 4
  switch i32 %a, label %b13 [
    i32 0, label %b17
  ]

b13:                                              ; preds = %b12, %b7, %b3, %b3
  store i32 %d, i32* %v3, align 4
  %l49 = load i32, i32* %v0, align 4
  %l50 = load i32, i32* %v0, align 4
  ret i32 %l49

b14:                                              ; preds = %b11
  switch i32 %a, label %b15 [
  ]

b15:                                              ; preds = %b16, %b14
  %l53 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  br label %b16

b16:                                              ; preds = %b15, %b5
  store i32* %v2, i32** %p0, align 8
  store i32* %v1, i32** %p0, align 8
  br label %b15

b17:                                              ; preds = %b21, %b12
  %l59 = call i32 @c(i32 %d)
  %l60 = call i32 @c(i32 0)
  store i32 undef, i32* %v2, align 4
  store i32 0, i32* %v0, align 4
  switch i32 %a, label %b4 [
    i32 0, label %b2
  ]

b18:                                              ; preds = %entry
  %l64 = load i32, i32* %v3, align 4
  store i32 undef, i32* %v1, align 4
  ret i32 1

b19:                                              ; No predecessors!
  %l67 = load i32, i32* %v1, align 4
  br label %b22

b20:                                              ; preds = %b9
  store i32 0, i32* %v1, align 4
  %l70 = load i32, i32* %v3, align 4
  ret i32 %d

b21:                                              ; No predecessors!
  %k72 = call i1 @b()
  br i1 %k72, label %b17, label %b22

b22:                                              ; preds = %b21, %b19, %entry
  %l73 = load i32, i32* %v3, align 4
  ret i32 %a

b23:                                              ; No predecessors!
  %l75 = load i32, i32* %v2, align 4
  %k76 = call i1 @b()
  br i1 %k76, label %b8, label %b8
}

define i32 @f32(i32 %a, i32 %d) {
entry:
  %k1 = call i1 @b()
  br i1 %k1, label %b0, label %b0

b0:                                               ; preds = %b0, %entry, %entry
  br label %b0
}

define i32 @f33(i32 %a, i32 %d) {
entry:
  br label %b1

b0:                                               ; preds = %b1, %b1, %b1
  %k2 = call i1 @b()
  br i1 %k2, label %b5, label %b3

b1:                                               ; preds = %b4, %entry
  switch i32 %a, label %b0 [
    i32 0, label %b2
    i32 1, label %b0
    i32 2, label %b0
  ]

b2:                                               ; preds = %b1
  ret i32 %d

b3:                                               ; preds = %b4, %b0
  br label %b4

b4:                                               ; preds = %b3
  %k6 = call i1 @b()
  br i1 %k6, label %b1, label %b3

b5:                                               ; preds = %b5, %b0
  br label %b5
}

define i32 @f34(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v0, align 4
  store i32 %d, i32* %v3, align 4
  switch i32 %a, label %b0 [
    i32 0, label %b0
    i32 1, label %b0
    i32 2, label %b0
    i32 3, label %b15
  ]

b0:                                               ; preds = %b2, %b1, %b0, %entry, %entry, %entry, %entry
  store i32 %a, i32* %v0, align 4
  store i32 undef, i32* %v1, align 4
  store i32 undef, i32* %v3, align 4
  %l7 = load i32, i32* %v0, align 4
  br label %b0

b1:                                               ; No predecessors!
  %q9 = load i32*, i32** %p0, align 8
  store i32 0, i32* %q9, align 4
  store i32 undef, i32* %v1, align 4
  %l11 = load i32, i32* %v1, align 4
  store i32 %a, i32* %v1, align 4
  %k13 = call i1 @b()
  br i1 %k13, label %b0, label %b4

b2:                                               ; No predecessors!
  %k14 = call i1 @b()
  br i1 %k14, label %b3, label %b0

b3:                                               ; preds = %b2
  store i32 %a, i32* %v3, align 4
  switch i32 %a, label %b7 [
  ]

b4:                                               ; preds = %b1
  store i32 1, i32* %v2, align 4
  %k18 = call i1 @b()
  br i1 %k18, label %b7, label %b7

b5:                                               ; preds = %b16
  %q19 = load i32*, i32** %p0, align 8
  store i32 0, i32* %q19, align 4
  %l20 = call i32 @c(i32 undef)
  %l21 = load i32, i32* %v1, align 4
  %k22 = call i1 @b()
  br i1 %k22, label %b7, label %b11

b6:                                               ; No predecessors!
  ret i32 undef

b7:                                               ; preds = %b13, %b10, %b10, %b5, %b4, %b4, %b3
  %l24 = call i32 @c(i32 1)
  store i32 %d, i32* %v0, align 4
  %l26 = load i32, i32* %v3, align 4
  ret i32 0

b8:                                               ; No predecessors!
  br label %b11

b9:                                               ; preds = %b12
  %l29 = load i32, i32* %v2, align 4
  %l30 = load i32, i32* %v1, align 4
  store i32 %l29, i32* %v2, align 4
  store i32 1, i32* %v1, align 4
  ret i32 undef

b10:                                              ; No predecessors!
  %l34 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %k36 = call i1 @b()
  br i1 %k36, label %b7, label %b7

b11:                                              ; preds = %b8, %b5
  %l37 = load i32, i32* %v3, align 4
  %k38 = call i1 @b()
  br i1 %k38, label %b14, label %b15

b12:                                              ; preds = %b15
  %k39 = call i1 @b()
  br i1 %k39, label %b14, label %b9

b13:                                              ; preds = %b13
  %l40 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v1, align 4
  %k42 = call i1 @b()
  br i1 %k42, label %b13, label %b7

b14:                                              ; preds = %b12, %b11
  store i32 %a, i32* %v2, align 4
  ret i32 undef

b15:                                              ; preds = %b11, %entry
  %l45 = load i32, i32* %v3, align 4
  br label %b12

b16:                                              ; preds = %b16
  %l47 = load i32, i32* %v2, align 4
  %k48 = call i1 @b()
  br i1 %k48, label %b5, label %b16
}

define i32 @f35(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 1, i32* %v0, align 4
  %k2 = call i1 @b()
  br i1 %k2, label %b0, label %b0

b0:                                               ; preds = %b1, %entry, %entry
  ret i32 1

b1:                                               ; preds = %b2
  %l4 = load i32, i32* %v3, align 4
  %k5 = call i1 @b()
  br i1 %k5, label %b2, label %b0

b2:                                               ; preds = %b2, %b1
  store i32 0, i32* %v3, align 4
  %q7 = load i32*, i32** %p0, align 8
  store i32 1, i32* %q7, align 4
  switch i32 %a, label %b1 [
    i32 0, label %b2
  ]
}

define i32 @f36(i32 %a, i32 %d) {
entry:
  br label %b0

b0:                                               ; preds = %b2, %b2, %entry
  br label %b2

b1:                                               ; No predecessors!
  br label %b2

b2:                                               ; preds = %b1, %b0
  %k4 = call i1 @b()
  br i1 %k4, label %b0, label %b0
}

define i32 @f37(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  br label %b0

b0:                                               ; preds = %b0, %entry
  store i32 %a, i32* %v1, align 4
  br label %b0
}

define i32 @f38(i32 %a, i32 %d) {
entry:
  %k1 = call i1 @b()
  br i1 %k1, label %b0, label %b6

b0:                                               ; preds = %b2, %b1, %b0, %entry
  %k2 = call i1 @b()
  br i1 %k2, label %b6, label %b0

b1:                                               ; No predecessors!
  br label %b0

b2:                                               ; preds = %b4
  switch i32 %a, label %b3 [
    i32 0, label %b0
    i32 1, label %b4
  ]

b3:                                               ; preds = %b6, %b2
  switch i32 %a, label %b8 [
    i32 0, label %b5
  ]

b4:                                               ; preds = %b2
  br label %b2

b5:                                               ; preds = %b3
  %k7 = call i1 @b()
  br i1 %k7, label %b8, label %b6

b6:                                               ; preds = %b5, %b0, %entry
  %k8 = call i1 @b()
  br i1 %k8, label %b9, label %b3

b7:                                               ; preds = %b9, %b8
  ret i32 %d

b8:                                               ; preds = %b5, %b3
  br label %b7

b9:                                               ; preds = %b9, %b6
  %k11 = call i1 @b()
  br i1 %k11, label %b9, label %b7
}

define i32 @f39(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %l1 = call i32 @c(i32 %a)
  br label %b0

b0:                                               ; preds = %b1, %entry
  %l3 = load i32, i32* %v3, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b1, label %b1

b1:                                               ; preds = %b1, %b0, %b0
  %l5 = call i32 @c(i32 1)
  %l6 = load i32, i32* %v3, align 4
  %l7 = load i32, i32* %v2, align 4
  store i32 %l6, i32* %v0, align 4
  %k9 = call i1 @b()
  br i1 %k9, label %b1, label %b0
}

define i32 @f40(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %l1 = call i32 @c(i32 1)
  store i32 %l1, i32* %v0, align 4
  %l3 = call i32 @c(i32 %l1)
  %l4 = load i32, i32* %v0, align 4
  %k5 = call i1 @b()
  br i1 %k5, label %b0, label %b2

b0:                                               ; preds = %b9, %b4, %b0, %entry
  store i32 0, i32* %v3, align 4
  %l7 = load i32, i32* %v1, align 4
  %l8 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v2, align 4
  %k10 = call i1 @b()
  br i1 %k10, label %b9, label %b0

b1:                                               ; preds = %b4
  store i32 %a, i32* %v2, align 4
  store i32 undef, i32* %v3, align 4
  %l13 = call i32 @c(i32 0)
  store i32 undef, i32* %v1, align 4
  switch i32 %a, label %b10 [
    i32 0, label %b3
  ]

b2:                                               ; preds = %b5, %b3, %b2, %entry
  %k16 = call i1 @b()
  br i1 %k16, label %b6, label %b2

b3:                                               ; preds = %b6, %b1
  %k17 = call i1 @b()
  br i1 %k17, label %b2, label %b4

b4:                                               ; preds = %b8, %b3
  %l18 = load i32, i32* %v2, align 4
  %l19 = call i32 @c(i32 %l18)
  store i32 %d, i32* %v0, align 4
  %k21 = call i1 @b()
  br i1 %k21, label %b0, label %b1

b5:                                               ; preds = %b8, %b5
  %k22 = call i1 @b()
  br i1 %k22, label %b2, label %b5

b6:                                               ; preds = %b2
  %l23 = load i32, i32* %v2, align 4
  %k24 = call i1 @b()
  br i1 %k24, label %b9, label %b3

b7:                                               ; preds = %b8
  %l25 = call i32 @c(i32 %d)
  br label %b8

b8:                                               ; preds = %b10, %b7
  %l27 = load i32, i32* %v1, align 4
  %l28 = call i32 @c(i32 %a)
  store i32 0, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  switch i32 %a, label %b7 [
    i32 0, label %b9
    i32 1, label %b4
    i32 2, label %b5
    i32 3, label %b10
  ]

b9:                                               ; preds = %b8, %b6, %b0
  store i32 %d, i32* %v2, align 4
  %k33 = call i1 @b()
  br i1 %k33, label %b0, label %b10

b10:                                              ; preds = %b9, %b8, %b1
  %l34 = call i32 @c(i32 %d)
  %l35 = load i32, i32* %v2, align 4
  store i32 %d, i32* %v2, align 4
  br label %b8
}

define i32 @f41(i32 %a, i32 %d) {
entry:
  %k1 = call i1 @b()
  br i1 %k1, label %b1, label %b1

b0:                                               ; preds = %b2
  br label %b3

b1:                                               ; preds = %entry, %entry
  ret i32 %a

b2:                                               ; preds = %b2
  %k4 = call i1 @b()
  br i1 %k4, label %b2, label %b0

b3:                                               ; preds = %b4, %b3, %b0
  br label %b3

b4:                                               ; No predecessors!
  br label %b3
}

define i32 @f42(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %l1 = load i32, i32* %v1, align 4
  %l2 = load i32, i32* %v0, align 4
  %l3 = load i32, i32* %v0, align 4
  store i32 1, i32* %v1, align 4
  br label %b2

b0:                                               ; preds = %b3, %b1
  store i32 undef, i32* %v1, align 4
  %l7 = load i32, i32* %v0, align 4
  br label %b3

b1:                                               ; preds = %b1
  %l9 = load i32, i32* %v2, align 4
  %l10 = call i32 @c(i32 %d)
  %l11 = load i32, i32* %v2, align 4
  %l12 = call i32 @c(i32 %d)
  %k13 = call i1 @b()
  br i1 %k13, label %b0, label %b1

b2:                                               ; preds = %b3, %b2, %b2, %b2, %entry
  switch i32 %a, label %b2 [
    i32 0, label %b3
    i32 1, label %b3
    i32 2, label %b2
    i32 3, label %b2
  ]

b3:                                               ; preds = %b2, %b2, %b0
  %l15 = load i32, i32* %v2, align 4
  %l16 = load i32, i32* %v1, align 4
  %k17 = call i1 @b()
  br i1 %k17, label %b2, label %b0
}

define i32 @f43(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  store i32 1, i32* %v3, align 4
  store i32 %a, i32* %v3, align 4
  %l3 = load i32, i32* %v3, align 4
  store i32 1, i32* %v1, align 4
  %k5 = call i1 @b()
  br i1 %k5, label %b0, label %b0

b0:                                               ; preds = %b0, %entry, %entry
  %l6 = load i32, i32* %v3, align 4
  br label %b0
}

define i32 @f44(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 1, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  %l3 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  br label %b0

b0:                                               ; preds = %entry
  %l6 = load i32, i32* %v0, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b3, label %b3

b1:                                               ; No predecessors!
  ret i32 %d

b2:                                               ; preds = %b4, %b3
  store i32 0, i32* %v0, align 4
  %l10 = load i32, i32* %v0, align 4
  ret i32 undef

b3:                                               ; preds = %b0, %b0
  %q12 = load i32*, i32** %p0, align 8
  store i32 0, i32* %q12, align 4
  store i32 undef, i32* %v0, align 4
  %k14 = call i1 @b()
  br i1 %k14, label %b4, label %b2

b4:                                               ; preds = %b4, %b3
  %k15 = call i1 @b()
  br i1 %k15, label %b4, label %b2
}

define i32 @f45(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  br label %b0

b0:                                               ; preds = %b3, %b2, %b2, %b1, %b0, %entry
  br label %b0

b1:                                               ; No predecessors!
  %l3 = load i32, i32* %v1, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b2, label %b0

b2:                                               ; preds = %b1
  %l5 = call i32 @c(i32 %d)
  store i32 1, i32* %v0, align 4
  switch i32 %a, label %b3 [
    i32 0, label %b3
    i32 1, label %b0
    i32 2, label %b0
  ]

b3:                                               ; preds = %b2, %b2
  store i32 1, i32* %v1, align 4
  br label %b0
}

define i32 @f46(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  store i32 undef, i32* %v0, align 4
  br label %b0

b0:                                               ; preds = %b1, %b0, %entry
  %l3 = load i32, i32* %v1, align 4
  store i32 %d, i32* %v0, align 4
  %l5 = load i32, i32* %v0, align 4
  %k6 = call i1 @b()
  br i1 %k6, label %b0, label %b2

b1:                                               ; preds = %b4, %b3, %b2
  br label %b0

b2:                                               ; preds = %b4, %b3, %b0
  %k8 = call i1 @b()
  br i1 %k8, label %b1, label %b5

b3:                                               ; No predecessors!
  %l9 = load i32, i32* %v1, align 4
  %l10 = load i32, i32* %v0, align 4
  store i32 0, i32* %v1, align 4
  switch i32 %a, label %b1 [
    i32 0, label %b5
    i32 1, label %b5
    i32 2, label %b2
    i32 3, label %b5
  ]

b4:                                               ; preds = %b5
  %l13 = load i32, i32* %v1, align 4
  %k14 = call i1 @b()
  br i1 %k14, label %b2, label %b1

b5:                                               ; preds = %b3, %b3, %b3, %b2
  %l15 = load i32, i32* %v0, align 4
  %l16 = load i32, i32* %v1, align 4
  %l17 = load i32, i32* %v1, align 4
  store i32 %l16, i32* %v0, align 4
  br label %b4
}

define i32 @f47(i32 %a, i32 %d) {
entry:
  %k1 = call i1 @b()
  br i1 %k1, label %b1, label %b1

b0:                                               ; preds = %b0, %b0
  %k2 = call i1 @b()
  br i1 %k2, label %b0, label %b0

b1:                                               ; preds = %b1, %b1, %entry, %entry
  %k3 = call i1 @b()
  br i1 %k3, label %b1, label %b1
}

define i32 @f48(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  br label %b0

b0:                                               ; preds = %entry
  %l2 = load i32, i32* %v1, align 4
  store i32 %l2, i32* %v1, align 4
  store i32 1, i32* %v2, align 4
  %k5 = call i1 @b()
  br i1 %k5, label %b1, label %b2

b1:                                               ; preds = %b2, %b1, %b0
  store i32 1, i32* %v0, align 4
  %l7 = call i32 @c(i32 %a)
  %l8 = load i32, i32* %v2, align 4
  br label %b1

b2:                                               ; preds = %b0
  store i32 1, i32* %v0, align 4
  %l11 = load i32, i32* %v0, align 4
  %l12 = load i32, i32* %v0, align 4
  br label %b1
}

define i32 @f49(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  store i32 0, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  %l4 = load i32, i32* %v0, align 4
  br label %b0

b0:                                               ; preds = %b4, %b2, %b0, %entry
  br label %b0

b1:                                               ; preds = %b4, %b3, %b2, %b1
  br label %b1

b2:                                               ; No predecessors!
  switch i32 %a, label %b1 [
    i32 0, label %b0
  ]

b3:                                               ; preds = %b5, %b4
  %l9 = load i32, i32* %v0, align 4
  %l10 = load i32, i32* %v0, align 4
  %l11 = call i32 @c(i32 %d)
  %l12 = load i32, i32* %v0, align 4
  br label %b1

b4:                                               ; No predecessors!
  store i32 %d, i32* %v0, align 4
  %l15 = load i32, i32* %v0, align 4
  %l16 = load i32, i32* %v0, align 4
  store i32 %l15, i32* %v0, align 4
  switch i32 %a, label %b1 [
    i32 0, label %b0
    i32 1, label %b3
    i32 2, label %b5
    i32 3, label %b5
  ]

b5:                                               ; preds = %b4, %b4
  %l19 = call i32 @c(i32 undef)
  store i32 1, i32* %v0, align 4
  %l21 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  br label %b3
}

define i32 @f50(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 0, i32* %v1, align 4
  br label %b0

b0:                                               ; preds = %b0, %b0, %entry
  store i32 %d, i32* %v1, align 4
  %l4 = load i32, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b0, label %b0
}

define i32 @f51(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %l1 = call i32 @c(i32 1)
  %l2 = load i32, i32* %v1, align 4
  %l3 = load i32, i32* %v0, align 4
  br label %b0

b0:                                               ; preds = %b7, %b0, %entry
  %k5 = call i1 @b()
  br i1 %k5, label %b5, label %b0

b1:                                               ; preds = %b6, %b1
  switch i32 %a, label %b1 [
    i32 0, label %b8
    i32 1, label %b8
    i32 2, label %b10
  ]

b2:                                               ; No predecessors!
  %l7 = load i32, i32* %v1, align 4
  %k8 = call i1 @b()
  br i1 %k8, label %b5, label %b7

b3:                                               ; No predecessors!
  %l9 = load i32, i32* %v0, align 4
  %k10 = call i1 @b()
  br i1 %k10, label %b8, label %b5

b4:                                               ; No predecessors!
  %l11 = load i32, i32* %v1, align 4
  store i32 %d, i32* %v0, align 4
  %l13 = call i32 @c(i32 %d)
  br label %b6

b5:                                               ; preds = %b3, %b2, %b0
  %l15 = call i32 @c(i32 undef)
  store i32 %d, i32* %v0, align 4
  br label %b9

b6:                                               ; preds = %b8, %b4
  %k18 = call i1 @b()
  br i1 %k18, label %b1, label %b10

b7:                                               ; preds = %b2
  store i32 1, i32* %v1, align 4
  %k20 = call i1 @b()
  br i1 %k20, label %b0, label %b11

b8:                                               ; preds = %b11, %b9, %b9, %b3, %b1, %b1
  %l21 = call i32 @c(i32 0)
  %k22 = call i1 @b()
  br i1 %k22, label %b6, label %b11

b9:                                               ; preds = %b5
  switch i32 %a, label %b8 [
    i32 0, label %b8
  ]

b10:                                              ; preds = %b6, %b1
  ret i32 1

b11:                                              ; preds = %b8, %b7
  %l25 = load i32, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  br label %b8
}

define i32 @f52(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  br label %b0

b0:                                               ; preds = %entry
  %k2 = call i1 @b()
  br i1 %k2, label %b3, label %b3

b1:                                               ; preds = %b4, %b3, %b3, %b2
  %l3 = load i32, i32* %v1, align 4
  %l4 = load i32, i32* %v1, align 4
  %l5 = load i32, i32* %v0, align 4
  %k6 = call i1 @b()
  br i1 %k6, label %b2, label %b2

b2:                                               ; preds = %b3, %b2, %b1, %b1
  %l7 = load i32, i32* %v0, align 4
  %l8 = call i32 @c(i32 1)
  %k9 = call i1 @b()
  br i1 %k9, label %b1, label %b2

b3:                                               ; preds = %b0, %b0
  switch i32 %a, label %b1 [
    i32 0, label %b4
    i32 1, label %b1
    i32 2, label %b4
    i32 3, label %b2
  ]

b4:                                               ; preds = %b3, %b3
  %l11 = load i32, i32* %v0, align 4
  switch i32 %a, label %b1 [
  ]
}

define i32 @f53(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %l1 = load i32, i32* %v0, align 4
  %k2 = call i1 @b()
  br i1 %k2, label %b3, label %b0

b0:                                               ; preds = %b1, %entry
  store i32 1, i32* %v1, align 4
  %l4 = load i32, i32* %v1, align 4
  %l5 = load i32, i32* %v1, align 4
  br label %b2

b1:                                               ; preds = %b4, %b2, %b2, %b1
  %k7 = call i1 @b()
  br i1 %k7, label %b0, label %b1

b2:                                               ; preds = %b0
  switch i32 %a, label %b1 [
    i32 0, label %b4
    i32 1, label %b1
    i32 2, label %b4
  ]

b3:                                               ; preds = %b4, %entry
  %l9 = load i32, i32* %v1, align 4
  %l10 = load i32, i32* %v0, align 4
  %l11 = call i32 @c(i32 %a)
  %l12 = call i32 @c(i32 1)
  br label %b4

b4:                                               ; preds = %b4, %b4, %b4, %b3, %b2, %b2
  %l14 = load i32, i32* %v0, align 4
  %l15 = call i32 @c(i32 %d)
  store i32 0, i32* %v0, align 4
  switch i32 %a, label %b3 [
    i32 0, label %b4
    i32 1, label %b1
    i32 2, label %b4
    i32 3, label %b4
  ]
}

define i32 @f54(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %l1 = load i32, i32* %v0, align 4
  %l2 = load i32, i32* %v1, align 4
  %l3 = load i32, i32* %v1, align 4
  %l4 = load i32, i32* %v0, align 4
  br label %b6

b0:                                               ; preds = %b1, %b0
  %l6 = load i32, i32* %v0, align 4
  %k7 = call i1 @b()
  br i1 %k7, label %b3, label %b0

b1:                                               ; No predecessors!
  br label %b0

b2:                                               ; preds = %b9, %b4, %b2
  store i32 %d, i32* %v1, align 4
  %l10 = load i32, i32* %v1, align 4
  store i32 0, i32* %v0, align 4
  store i32 %a, i32* %v1, align 4
  %k13 = call i1 @b()
  br i1 %k13, label %b4, label %b2

b3:                                               ; preds = %b8, %b4, %b0
  store i32 0, i32* %v0, align 4
  %l15 = load i32, i32* %v0, align 4
  %l16 = load i32, i32* %v0, align 4
  br label %b4

b4:                                               ; preds = %b7, %b3, %b2
  store i32 %d, i32* %v1, align 4
  %l19 = load i32, i32* %v0, align 4
  store i32 undef, i32* %v0, align 4
  store i32 %d, i32* %v0, align 4
  %k22 = call i1 @b()
  br i1 %k22, label %b3, label %b2

b5:                                               ; preds = %b7, %b5
  br label %b5

b6:                                               ; preds = %entry
  store i32 1, i32* %v0, align 4
  store i32 0, i32* %v0, align 4
  %q26 = load i32*, i32** %p0, align 8
  store i32 1, i32* %q26, align 4
  store i32 1, i32* %v1, align 4
  br label %b8

b7:                                               ; No predecessors!
  %k29 = call i1 @b()
  br i1 %k29, label %b5, label %b4

b8:                                               ; preds = %b8, %b6
  store i32* %v1, i32** %p0, align 8
  switch i32 %a, label %b3 [
    i32 0, label %b8
    i32 1, label %b9
  ]

b9:                                               ; preds = %b8
  store i32 1, i32* %v0, align 4
  store i32 %a, i32* %v0, align 4
  store i32 undef, i32* %v1, align 4
  %l35 = load i32, i32* %v1, align 4
  br label %b2
}

define i32 @f55(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %l1 = load i32, i32* %v1, align 4
  br label %b2

b0:                                               ; preds = %b3, %b1
  store i32 %a, i32* %v0, align 4
  store i32 1, i32* %v0, align 4
  br label %b2

b1:                                               ; No predecessors!
  store i32 1, i32* %v2, align 4
  br label %b0

b2:                                               ; preds = %b5, %b2, %b0, %entry
  %l8 = load i32, i32* %v2, align 4
  store i32 undef, i32* %v2, align 4
  %l10 = call i32 @c(i32 1)
  %l11 = call i32 @c(i32 0)
  %k12 = call i1 @b()
  br i1 %k12, label %b2, label %b4

b3:                                               ; preds = %b4, %b4
  %l13 = load i32, i32* %v1, align 4
  %l14 = call i32 @c(i32 0)
  store i32 undef, i32* %v0, align 4
  store i32 %l13, i32* %v1, align 4
  %k17 = call i1 @b()
  br i1 %k17, label %b6, label %b0

b4:                                               ; preds = %b6, %b6, %b2
  %l18 = call i32 @c(i32 0)
  %l19 = call i32 @c(i32 %d)
  %k20 = call i1 @b()
  br i1 %k20, label %b3, label %b3

b5:                                               ; No predecessors!
  store i32 1, i32* %v1, align 4
  br label %b2

b6:                                               ; preds = %b3
  store i32 1, i32* %v1, align 4
  %k24 = call i1 @b()
  br i1 %k24, label %b4, label %b4

b7:                                               ; No predecessors!
  br label %b9

b8:                                               ; preds = %b10
  store i32 0, i32* %v1, align 4
  %l27 = load i32, i32* %v2, align 4
  store i32 %l27, i32* %v0, align 4
  unreachable

b9:                                               ; preds = %b11, %b10, %b7
  store i32 1, i32* %v2, align 4
  ret i32 %a

b10:                                              ; No predecessors!
  %l32 = load i32, i32* %v2, align 4
  %l33 = call i32 @c(i32 0)
  %k34 = call i1 @b()
  br i1 %k34, label %b9, label %b8

b11:                                              ; No predecessors!
  %l35 = load i32, i32* %v2, align 4
  %l36 = call i32 @c(i32 0)
  %k37 = call i1 @b()
  br i1 %k37, label %b12, label %b9

b12:                                              ; preds = %b11
  %l38 = load i32, i32* %v1, align 4
  %l39 = load i32, i32* %v1, align 4
  store i32 0, i32* %v0, align 4
  ret i32 %l38
}

define i32 @f56(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  %k1 = call i1 @b()
  br i1 %k1, label %b1, label %b0

b0:                                               ; preds = %b1, %b1, %b0, %entry
  store i32 %a, i32* %v0, align 4
  store i32* %v3, i32** %p0, align 8
  store i32 1, i32* %v2, align 4
  store i32* %v3, i32** %p0, align 8
  br label %b0

b1:                                               ; preds = %entry
  %l7 = load i32, i32* %v3, align 4
  %l8 = load i32, i32* %v0, align 4
  store i32 %a, i32* %v2, align 4
  switch i32 %a, label %b0 [
    i32 0, label %b0
  ]
}

define i32 @f57(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %v3 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  switch i32 %a, label %b0 [
    i32 0, label %b1
  ]

b0:                                               ; preds = %b1, %entry
  br label %b2

b1:                                               ; preds = %entry
  store i32 1, i32* %v0, align 4
  %l4 = load i32, i32* %v3, align 4
  store i32 %l4, i32* %v3, align 4
  %l6 = load i32, i32* %v1, align 4
  br label %b0

b2:                                               ; preds = %b2, %b2, %b0
  store i32 1, i32* %v1, align 4
  %k9 = call i1 @b()
  br i1 %k9, label %b2, label %b2
}

define i32 @f58(i32 %a, i32 %d) {
entry:
  %v0 = alloca i32, align 4
  %v1 = alloca i32, align 4
  %v2 = alloca i32, align 4
  %p0 = alloca i32*, align 8
  store i32 %d, i32* %v1, align 4
  %l2 = load i32, i32* %v1, align 4
  store i32 %d, i32* %v1, align 4
  %k4 = call i1 @b()
  br i1 %k4, label %b0, label %b1

b0:                                               ; preds = %b5, %b0, %entry
  br label %b0

b1:                                               ; preds = %entry
  store i32 undef, i32* %v2, align 4
  %q7 = load i32*, i32** %p0, align 8
  store i32 %d, i32* %q7, align 4
  %k8 = call i1 @b()
  br i1 %k8, label %b2, label %b19

b2:                                               ; preds = %b3, %b1
  store i32 %a, i32* %v2, align 4
  store i32* %v0, i32** %p0, align 8
  %l11 = load i32, i32* %v2, align 4
  ret i32 %d

b3:                                               ; preds = %b19, %b10, %b7, %b6, %b5, %b3
  %l13 = load i32, i32* %v1, align 4
  %l14 = load i32, i32* %v1, align 4
  store i32 0, i32* %v1, align 4
  store i32 %d, i32* %v0, align 4
  %k17 = call i1 @b()
  br i1 %k17, label %b3, label %b2

b4:                                               ; preds = %b6
  %l18 = call i32 @c(i32 %a)
  %l19 = load i32, i32* %v0, align 4
  store i32 %d, i32* %v2, align 4
  store i32* %v0, i32** %p0, align 8
  switch i32 %a, label %b5 [
  ]

b5:                                               ; preds = %b8, %b4
  store i32 undef, i32* %v2, align 4
  store i32 %d, i32* %v1, align 4
  %k25 = call i1 @b()
  br i1 %k25, label %b3, label %b0

b6:                                               ; preds = %b17, %b16, %b13
  %l26 = load i32, i32* %v1, align 4
  %l27 = load i32, i32* %v0, align 4
  %l28 = load i32, i32* %v0, align 4
  %l29 = call i32 @c(i32 %l28)
  %k30 = call i1 @b()
  br i1 %k30, label %b4, label %b3

b7:                                               ; preds = %b10, %b8
  store i32 %d, i32* %v0, align 4
  br label %b3

b8:                                               ; No predecessors!
  switch i32 %a, label %b7 [
    i32 0, label %b5
  ]

b9:                                               ; No predecessors!
  br label %b12

b10:                                              ; No predecessors!
  %l35 = load i32, i32* %v2, align 4
  %l36 = load i32, i32* %v1, align 4
  %k37 = call i1 @b()
  br i1 %k37, label %b3, label %b7

b11:                                              ; No predecessors!
  %l38 = load i32, i32* %v1, align 4
  %k39 = call i1 @b()
  br i1 %k39, label %b14, label %b13

b12:                                              ; preds = %b12, %b9
  switch i32 %a, label %b15 [
    i32 0, label %b12
    i32 1, label %b17
  ]

b13:                                              ; preds = %b11
  store i32 undef, i32* %v2, align 4
  %k42 = call i1 @b()
  br i1 %k42, label %b15, label %b6

b14:                                              ; preds = %b11
  %l43 = load i32, i32* %v1, align 4
  store i32 0, i32* %v0, align 4
  ret i32 %a

b15:                                              ; preds = %b19, %b17, %b15, %b13, %b12
  %l46 = load i32, i32* %v1, align 4
  %k47 = call i1 @b()
  br i1 %k47, label %b15, label %b19

b16:                                              ; preds = %b18
  store i32 0, i32* %v2, align 4
  %l49 = load i32, i32* %v0, align 4
  %l50 = load i32, i32* %v2, align 4
  store i32 %a, i32* %v2, align 4
  %k52 = call i1 @b()
  br i1 %k52, label %b6, label %b19

b17:                                              ; preds = %b19, %b12
  switch i32 %a, label %b6 [
    i32 0, label %b19
    i32 1, label %b19
    i32 2, label %b15
  ]

b18:                                              ; No predecessors!
  %k54 = call i1 @b()
  br i1 %k54, label %b19, label %b16

b19:                                              ; preds = %b19, %b19, %b18, %b17, %b17, %b16, %b15, %b1
  switch i32 %a, label %b17 [
    i32 0, label %b15
    i32 1, label %b19
    i32 2, label %b3
    i32 3, label %b19
  ]
}

define i32 @f59(i32 %a, i32 %d) {
entry:
  br label %b0

b0:                                               ; preds = %b0, %entry
  br label %b0
}
