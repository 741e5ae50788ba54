; What clang does not write: names that need quotes, an entry without a label, unreachable blocks, parallel edges,
; variables that LLVM promotes only under conditions. See README.md.
%0 = type { i32, i32 }

declare i32 @c(i32)
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.end.p0i8(i64, i8*)

define i32 @"a name with blanks"(i32 %0, i32 %"an argument") {
  %2 = alloca i32, align 4
  %"a variable" = alloca i32
  store i32 %0, i32* %2, align 4
  store i32 1, i32* %"a variable"
  br label %"the loop, in quotes<header>"

"the loop, in quotes<header>":
  %3 = load i32, i32* %2
  %4 = call i32 @c(i32 %3)
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %"100", label %6

6:
  store i32 %4, i32* %2
  %7 = load i32, i32* %"a variable"
  %8 = add i32 %7, %4
  store i32 %8, i32* %"a variable"
  br label %"the loop, in quotes<header>"

"100":
  %9 = load i32, i32* %"a variable"
  ret i32 %9
}

define i32 @unreachable(i32 %x) {
entry:
  %v = alloca i32
  store i32 %x, i32* %v
  br label %join

dead:
  store i32 7, i32* %v
  br i1 true, label %join, label %dead.loop

dead.loop:
  br label %dead.loop

join:
  %r = load i32, i32* %v
  ret i32 %r
}

define i32 @parallel(i32 %x) {
entry:
  %v = alloca i32
  store i32 1, i32* %v
  switch i32 %x, label %next [
    i32 0, label %join
    i32 1, label %join
    i32 2, label %next
  ]

next:
  store i32 2, i32* %v
  br i1 undef, label %join, label %join

join:
  %r = load i32, i32* %v
  ret i32 %r
}

define i32 @conditions(i32 %x, i32 %n, i1 %b) {
entry:
  %life = alloca i32
  %array = alloca i32, i32 %n
  %other.type = alloca i32
  %struct = alloca %0
  %atomic = alloca i32
  %element = alloca [2 x i32]
  %escapes = alloca i32*
  %pointer = alloca i32*
  %raw = bitcast i32* %life to i8*
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %raw)
  store i32 %x, i32* %life
  store i32 %x, i32* %array
  %float = bitcast i32* %other.type to float*
  store float 1.0, float* %float
  store %0 { i32 1, i32 2 }, %0* %struct
  store atomic i32 1, i32* %atomic seq_cst, align 4
  store i32* %life, i32** %pointer
  %first = getelementptr [2 x i32], [2 x i32]* %element, i32 0, i32 0
  store i32 %x, i32* %first
  br i1 %b, label %left, label %right

left:
  store i32 2, i32* %life
  store i32 2, i32* %array
  store i32 2, i32* %other.type
  store %0 zeroinitializer, %0* %struct
  store atomic i32 2, i32* %atomic seq_cst, align 4
  store i32 2, i32* %first
  store i32* null, i32** %pointer
  br label %join

right:
  store i32* %array, i32** %pointer
  br label %join

join:
  %l = load i32, i32* %life
  %a = load i32, i32* %array
  %o = load i32, i32* %other.type
  %s = load %0, %0* %struct
  %t = load atomic i32, i32* %atomic seq_cst, align 4
  %e = load i32, i32* %first
  %p = load i32*, i32** %pointer
  %q = load i32, i32* %p
  call void @llvm.lifetime.end.p0i8(i64 4, i8* %raw)
  ret i32 %l
}

define i32 @phis.already(i32 %x, i1 %b) {
entry:
  %v = alloca i32
  br i1 %b, label %left, label %join

left:
  store i32 %x, i32* %v
  br label %join

join:
  %x.0 = phi i32 [ 1, %entry ], [ 2, %left ]
  %v.0 = phi i32 [ 3, %entry ], [ %x, %left ]
  %r = load i32, i32* %v
  store i32 %v.0, i32* %v
  br i1 %b, label %join2, label %end

join2:
  store i32 %x.0, i32* %v
  br label %end

end:
  %s = load i32, i32* %v
  %t = add i32 %r, %s
  ret i32 %t
}
