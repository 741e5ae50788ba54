; ModuleID = 'unnamed.ll'
source_filename = "hard.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i32 }

@computed.t = internal global [3 x i8*] [i8* blockaddress(@computed, %6), i8* blockaddress(@computed, %16), i8* blockaddress(@computed, %22)], align 16

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @one_block(i32 noundef %0) #0 {
  %2 = add nsw i32 %0, 1
  ret i32 %2
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %2, %1
  %.0 = phi i32 [ %0, %1 ], [ %3, %2 ]
  %3 = call i32 @c(i32 noundef %.0)
  br label %2
}

declare i32 @c(i32 noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_endless(i32 noundef %0) #0 {
  %2 = icmp ne i32 %0, 0
  br i1 %2, label %3, label %10

3:                                                ; preds = %1
  br label %4

4:                                                ; preds = %9, %3
  %.0 = phi i32 [ %0, %3 ], [ %.1, %9 ]
  %5 = call i32 @c(i32 noundef %.0)
  %6 = icmp eq i32 %5, 3
  br i1 %6, label %7, label %9

7:                                                ; preds = %4
  %8 = add nsw i32 %5, 1
  br label %9

9:                                                ; preds = %7, %4
  %.1 = phi i32 [ %8, %7 ], [ %5, %4 ]
  br label %4

10:                                               ; preds = %1
  br label %11

11:                                               ; preds = %16, %10
  %12 = call i32 @c(i32 noundef 1)
  %13 = icmp ne i32 %12, 0
  br i1 %13, label %14, label %16

14:                                               ; preds = %11
  %15 = call i32 @c(i32 noundef 2)
  br label %16

16:                                               ; preds = %14, %11
  br label %11
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless_within(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %11, %1
  %.0 = phi i32 [ %0, %1 ], [ %3, %11 ]
  %3 = add nsw i32 %.0, -1
  %4 = icmp ne i32 %.0, 0
  br i1 %4, label %5, label %12

5:                                                ; preds = %2
  %6 = call i32 @c(i32 noundef %3)
  %7 = icmp eq i32 %6, 7
  br i1 %7, label %8, label %11

8:                                                ; preds = %5
  br label %9

9:                                                ; preds = %9, %8
  %10 = call i32 @c(i32 noundef 3)
  br label %9

11:                                               ; preds = %5
  br label %2, !llvm.loop !5

12:                                               ; preds = %2
  ret i32 %3
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @self_loop(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %2, %1
  br label %2
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @nested_endless(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %17, %1
  %.0 = phi i32 [ %0, %1 ], [ %13, %17 ]
  br label %3

3:                                                ; preds = %10, %2
  %4 = call i32 @c(i32 noundef %.0)
  %5 = icmp ne i32 %4, 0
  br i1 %5, label %6, label %11

6:                                                ; preds = %3
  %7 = call i32 @c(i32 noundef 2)
  %8 = icmp ne i32 %7, 0
  br i1 %8, label %9, label %10

9:                                                ; preds = %6
  br label %11

10:                                               ; preds = %6
  br label %3, !llvm.loop !7

11:                                               ; preds = %9, %3
  br label %12

12:                                               ; preds = %14, %11
  %.1 = phi i32 [ %.0, %11 ], [ %13, %14 ]
  %13 = add nsw i32 %.1, 1
  br label %14

14:                                               ; preds = %12
  %15 = call i32 @c(i32 noundef %13)
  %16 = icmp ne i32 %15, 0
  br i1 %16, label %12, label %17, !llvm.loop !8

17:                                               ; preds = %14
  br label %2
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @no_return(i32 noundef %0) #0 {
  %2 = icmp ne i32 %0, 0
  br i1 %2, label %3, label %4

3:                                                ; preds = %1
  call void @die() #5
  unreachable

4:                                                ; preds = %1
  call void @die() #5
  unreachable
}

; Function Attrs: noreturn
declare void @die() #2

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @many_ends(i32 noundef %0) #0 {
  switch i32 %0, label %6 [
    i32 1, label %2
    i32 2, label %3
    i32 3, label %5
  ]

2:                                                ; preds = %1
  ret i32 1

3:                                                ; preds = %1
  br label %4

4:                                                ; preds = %4, %3
  br label %4

5:                                                ; preds = %1
  call void @die() #5
  unreachable

6:                                                ; preds = %1
  br label %7

7:                                                ; preds = %11, %6
  %8 = call i32 @c(i32 noundef 1)
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %11

10:                                               ; preds = %7
  call void @die() #5
  unreachable

11:                                               ; preds = %7
  br label %7
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @irreducible(i32 noundef %0, i32 noundef %1) #0 {
  %3 = icmp ne i32 %0, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %2
  br label %11

5:                                                ; preds = %2
  br label %6

6:                                                ; preds = %15, %5
  %.01 = phi i32 [ %13, %15 ], [ %1, %5 ]
  %7 = call i32 @c(i32 noundef %.01)
  %8 = icmp eq i32 %7, 4
  br i1 %8, label %9, label %10

9:                                                ; preds = %6
  br label %18

10:                                               ; preds = %6
  br label %11

11:                                               ; preds = %10, %4
  %.1 = phi i32 [ %1, %4 ], [ %7, %10 ]
  %12 = add nsw i32 %.1, 1
  %13 = call i32 @c(i32 noundef %12)
  %14 = icmp eq i32 %13, 5
  br i1 %14, label %15, label %16

15:                                               ; preds = %11
  br label %6

16:                                               ; preds = %11
  %17 = add nsw i32 %0, %13
  br label %18

18:                                               ; preds = %16, %9
  %.0 = phi i32 [ %7, %9 ], [ %17, %16 ]
  ret i32 %.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @duff(i32 noundef %0) #0 {
  %2 = and i32 %0, 3
  switch i32 %2, label %28 [
    i32 0, label %3
    i32 1, label %6
    i32 2, label %9
    i32 3, label %21
  ]

3:                                                ; preds = %1
  br label %4

4:                                                ; preds = %24, %3
  %.01 = phi i32 [ %23, %24 ], [ 0, %3 ]
  %.0 = phi i32 [ %25, %24 ], [ %0, %3 ]
  %5 = call i32 @c(i32 noundef %.01)
  br label %6

6:                                                ; preds = %4, %1
  %.12 = phi i32 [ %5, %4 ], [ 0, %1 ]
  %.1 = phi i32 [ %.0, %4 ], [ %0, %1 ]
  %7 = add nsw i32 %.12, 1
  %8 = call i32 @c(i32 noundef %7)
  br label %9

9:                                                ; preds = %6, %1
  %.23 = phi i32 [ %8, %6 ], [ 0, %1 ]
  %.2 = phi i32 [ %.1, %6 ], [ %0, %1 ]
  %10 = add nsw i32 %.23, 2
  %11 = call i32 @c(i32 noundef %10)
  br label %12

12:                                               ; preds = %19, %9
  %.34 = phi i32 [ %11, %9 ], [ %16, %19 ]
  %13 = call i32 @c(i32 noundef %.34)
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %15, label %20

15:                                               ; preds = %12
  %16 = add nsw i32 %.34, 1
  %17 = icmp eq i32 %16, 9
  br i1 %17, label %18, label %19

18:                                               ; preds = %15
  br label %29

19:                                               ; preds = %15
  br label %12, !llvm.loop !9

20:                                               ; preds = %12
  br label %21

21:                                               ; preds = %20, %1
  %.4 = phi i32 [ 0, %1 ], [ %.34, %20 ]
  %.3 = phi i32 [ %0, %1 ], [ %.2, %20 ]
  %22 = add nsw i32 %.4, 3
  %23 = call i32 @c(i32 noundef %22)
  br label %24

24:                                               ; preds = %21
  %25 = add nsw i32 %.3, -1
  %26 = icmp sgt i32 %25, 0
  br i1 %26, label %4, label %27, !llvm.loop !10

27:                                               ; preds = %24
  br label %28

28:                                               ; preds = %27, %1
  %.5 = phi i32 [ 0, %1 ], [ %23, %27 ]
  br label %29

29:                                               ; preds = %28, %18
  %.6 = phi i32 [ %.5, %28 ], [ %16, %18 ]
  ret i32 %.6
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @natural_in_irreducible(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %21, %10, %1
  %.0 = phi i32 [ %0, %1 ], [ %.1, %10 ], [ %17, %21 ]
  %3 = call i32 @c(i32 noundef %.0)
  %4 = icmp eq i32 %3, 1
  br i1 %4, label %5, label %6

5:                                                ; preds = %2
  br label %16

6:                                                ; preds = %2
  br label %7

7:                                                ; preds = %20, %6
  %.1 = phi i32 [ %17, %20 ], [ %3, %6 ]
  %8 = call i32 @c(i32 noundef %.1)
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %11

10:                                               ; preds = %7
  br label %2

11:                                               ; preds = %7
  %12 = call i32 @c(i32 noundef 2)
  %13 = icmp ne i32 %12, 0
  br i1 %13, label %14, label %15

14:                                               ; preds = %11
  br label %22

15:                                               ; preds = %11
  br label %16

16:                                               ; preds = %15, %5
  %.2 = phi i32 [ %3, %5 ], [ %.1, %15 ]
  %17 = add nsw i32 %.2, 2
  %18 = call i32 @c(i32 noundef %17)
  %19 = icmp eq i32 %18, 3
  br i1 %19, label %20, label %21

20:                                               ; preds = %16
  br label %7

21:                                               ; preds = %16
  br label %2

22:                                               ; preds = %14
  ret i32 %.1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_kinds_of_latches(i32 noundef %0) #0 {
  %2 = call i32 @c(i32 noundef 0)
  %3 = icmp ne i32 %2, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %1
  br label %15

5:                                                ; preds = %1
  br label %6

6:                                                ; preds = %15, %9, %5
  %.0 = phi i32 [ %16, %15 ], [ %7, %9 ], [ %0, %5 ]
  %7 = call i32 @c(i32 noundef %.0)
  %8 = icmp eq i32 %7, 1
  br i1 %8, label %9, label %10

9:                                                ; preds = %6
  br label %6

10:                                               ; preds = %6
  %11 = call i32 @c(i32 noundef %7)
  %12 = icmp ne i32 %11, 0
  br i1 %12, label %13, label %14

13:                                               ; preds = %10
  br label %17

14:                                               ; preds = %10
  br label %15

15:                                               ; preds = %14, %4
  %.1 = phi i32 [ %0, %4 ], [ %7, %14 ]
  %16 = add nsw i32 %.1, 2
  br label %6

17:                                               ; preds = %13
  ret i32 %7
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @computed(i32 noundef %0) #0 {
  %2 = srem i32 %0, 3
  %3 = sext i32 %2 to i64
  %4 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %3
  %5 = load i8*, i8** %4, align 8
  br label %23

6:                                                ; preds = %23
  %7 = add nsw i32 %.1, 1
  %8 = call i32 @c(i32 noundef %7)
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %15

10:                                               ; preds = %6
  %11 = srem i32 %7, 3
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %12
  %14 = load i8*, i8** %13, align 8
  br label %23

15:                                               ; preds = %6
  br label %16

16:                                               ; preds = %23, %15
  %.0 = phi i32 [ %7, %15 ], [ %.1, %23 ]
  %17 = add nsw i32 %.0, 2
  %18 = srem i32 %17, 3
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %19
  %21 = load i8*, i8** %20, align 8
  br label %23

22:                                               ; preds = %23
  ret i32 %.1

23:                                               ; preds = %16, %10, %1
  %.1 = phi i32 [ 0, %1 ], [ %7, %10 ], [ %17, %16 ]
  %24 = phi i8* [ %5, %1 ], [ %14, %10 ], [ %21, %16 ]
  indirectbr i8* %24, [label %6, label %16, label %22]
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @assembly(i32 noundef %0) #0 {
  callbr void asm sideeffect "nop ; label %x", "r,i,i,~{dirflag},~{fpsr},~{flags}"(i32 %0, i8* blockaddress(@assembly, %3), i8* blockaddress(@assembly, %5)) #6
          to label %2 [label %3, label %5], !srcloc !11

2:                                                ; preds = %1
  br label %3

3:                                                ; preds = %2, %1
  %.0 = phi i32 [ 1, %2 ], [ %0, %1 ]
  %4 = add nsw i32 %.0, 1
  br label %5

5:                                                ; preds = %3, %1
  %.1 = phi i32 [ %4, %3 ], [ %0, %1 ]
  ret i32 %.1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @undefined_uses(i32 noundef %0) #0 {
  %2 = icmp ne i32 %0, 0
  br i1 %2, label %3, label %4

3:                                                ; preds = %1
  br label %4

4:                                                ; preds = %3, %1
  br label %5

5:                                                ; preds = %12, %4
  %.02 = phi i32 [ undef, %4 ], [ %.1, %12 ]
  %.01 = phi i32 [ 0, %4 ], [ %13, %12 ]
  %.0 = phi i32 [ undef, %4 ], [ %.1, %12 ]
  %6 = icmp slt i32 %.01, %0
  br i1 %6, label %7, label %14

7:                                                ; preds = %5
  %8 = icmp ne i32 %.01, 0
  br i1 %8, label %9, label %11

9:                                                ; preds = %7
  %10 = call i32 @c(i32 noundef %.0)
  br label %11

11:                                               ; preds = %9, %7
  %.1 = phi i32 [ %10, %9 ], [ %.0, %7 ]
  br label %12

12:                                               ; preds = %11
  %13 = add nsw i32 %.01, 1
  br label %5, !llvm.loop !12

14:                                               ; preds = %5
  %15 = add nsw i32 3, %.02
  ret i32 %15
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_constant(i32 noundef %0) #0 {
  %2 = icmp ne i32 %0, 0
  br i1 %2, label %3, label %4

3:                                                ; preds = %1
  br label %5

4:                                                ; preds = %1
  br label %5

5:                                                ; preds = %4, %3
  ret i32 3
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_value(i32 noundef %0) #0 {
  %2 = call i32 @c(i32 noundef 1)
  %3 = icmp ne i32 %2, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %1
  br label %6

5:                                                ; preds = %1
  br label %6

6:                                                ; preds = %5, %4
  ret i32 %0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @address(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = icmp ne i32 %0, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %1
  store i32 3, i32* %2, align 4
  br label %6

5:                                                ; preds = %1
  store i32 4, i32* %2, align 4
  br label %6

6:                                                ; preds = %5, %4
  call void @use(i32* noundef %2)
  %7 = load i32, i32* %2, align 4
  ret i32 %7
}

declare void @use(i32* noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @is_volatile(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = icmp ne i32 %0, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %1
  store volatile i32 3, i32* %2, align 4
  br label %6

5:                                                ; preds = %1
  store volatile i32 4, i32* %2, align 4
  br label %6

6:                                                ; preds = %5, %4
  %7 = load volatile i32, i32* %2, align 4
  ret i32 %7
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_pointer(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %5, %1
  %.0 = phi i32 [ 0, %1 ], [ %6, %5 ]
  %3 = call i32 @c(i32 noundef %.0)
  %4 = icmp ne i32 %3, 0
  br i1 %4, label %5, label %7

5:                                                ; preds = %2
  %6 = add nsw i32 %.0, %0
  br label %2, !llvm.loop !13

7:                                                ; preds = %2
  ret i32 %.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_two(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 0, i32* %2, align 4
  store i32 1, i32* %3, align 4
  %4 = icmp ne i32 %0, 0
  br i1 %4, label %5, label %6

5:                                                ; preds = %1
  br label %7

6:                                                ; preds = %1
  br label %7

7:                                                ; preds = %6, %5
  %.0 = phi i32* [ %2, %5 ], [ %3, %6 ]
  store i32 4, i32* %.0, align 4
  %8 = load i32, i32* %2, align 4
  %9 = load i32, i32* %3, align 4
  %10 = add nsw i32 %8, %9
  ret i32 %10
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @three_deep(i32 noundef %0) #0 {
  br label %2

2:                                                ; preds = %5, %1
  %.0 = phi i32 [ 0, %1 ], [ %7, %5 ]
  %3 = call i32 @c(i32 noundef %.0)
  %4 = icmp ne i32 %3, 0
  br i1 %4, label %5, label %8

5:                                                ; preds = %2
  %6 = add nsw i32 %.0, %0
  %7 = sub nsw i32 %6, 1
  br label %2, !llvm.loop !14

8:                                                ; preds = %2
  ret i32 %.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i64 @whole(i64 noundef %0, i32 noundef %1) #0 {
  br label %3

3:                                                ; preds = %6, %2
  %.02 = phi i64 [ %0, %2 ], [ %8, %6 ]
  %.01 = phi i32 [ %1, %2 ], [ %4, %6 ]
  %.0 = phi i64 [ %0, %2 ], [ %8, %6 ]
  %4 = add nsw i32 %.01, -1
  %5 = icmp ne i32 %.01, 0
  br i1 %5, label %6, label %9

6:                                                ; preds = %3
  %7 = sext i32 %4 to i64
  %8 = add nsw i64 %.02, %7
  br label %3, !llvm.loop !15

9:                                                ; preds = %3
  ret i64 %.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @members(i64 %0, i32 noundef %1) #0 {
  %3 = alloca %struct.pair, align 4
  %4 = alloca %struct.pair, align 4
  %5 = bitcast %struct.pair* %3 to i64*
  store i64 %0, i64* %5, align 4
  %6 = bitcast %struct.pair* %4 to i8*
  %7 = bitcast %struct.pair* %3 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %6, i8* align 4 %7, i64 8, i1 false)
  br label %8

8:                                                ; preds = %11, %2
  %.0 = phi i32 [ %1, %2 ], [ %9, %11 ]
  %9 = add nsw i32 %.0, -1
  %10 = icmp ne i32 %.0, 0
  br i1 %10, label %11, label %17

11:                                               ; preds = %8
  %12 = getelementptr inbounds %struct.pair, %struct.pair* %4, i32 0, i32 0
  %13 = load i32, i32* %12, align 4
  %14 = add nsw i32 %13, %9
  store i32 %14, i32* %12, align 4
  %15 = bitcast %struct.pair* %3 to i8*
  %16 = bitcast %struct.pair* %4 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %15, i8* align 4 %16, i64 8, i1 false)
  br label %8, !llvm.loop !16

17:                                               ; preds = %8
  %18 = getelementptr inbounds %struct.pair, %struct.pair* %3, i32 0, i32 0
  %19 = load i32, i32* %18, align 4
  ret i32 %19
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg) #3

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @variable_length(i32 noundef %0) #0 {
  %2 = zext i32 %0 to i64
  %3 = call i8* @llvm.stacksave()
  %4 = alloca i32, i64 %2, align 16
  br label %5

5:                                                ; preds = %12, %1
  %.01 = phi i32 [ 0, %1 ], [ %11, %12 ]
  %.0 = phi i32 [ 0, %1 ], [ %13, %12 ]
  %6 = icmp slt i32 %.0, %0
  br i1 %6, label %7, label %14

7:                                                ; preds = %5
  %8 = sext i32 %.0 to i64
  %9 = getelementptr inbounds i32, i32* %4, i64 %8
  %10 = load i32, i32* %9, align 4
  %11 = add nsw i32 %.01, %10
  br label %12

12:                                               ; preds = %7
  %13 = add nsw i32 %.0, 1
  br label %5, !llvm.loop !17

14:                                               ; preds = %5
  call void @llvm.stackrestore(i8* %3)
  ret i32 %.01
}

; Function Attrs: nofree nosync nounwind willreturn
declare i8* @llvm.stacksave() #4

; Function Attrs: nofree nosync nounwind willreturn
declare void @llvm.stackrestore(i8*) #4

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @conditions(i32 noundef %0, i32 noundef %1) #0 {
  %3 = icmp ne i32 %0, 0
  br i1 %3, label %4, label %6

4:                                                ; preds = %2
  %5 = icmp ne i32 %1, 0
  br i1 %5, label %9, label %6

6:                                                ; preds = %4, %2
  %7 = call i32 @c(i32 noundef 1)
  %8 = icmp ne i32 %7, 0
  br i1 %8, label %9, label %10

9:                                                ; preds = %6, %4
  br label %11

10:                                               ; preds = %6
  br label %11

11:                                               ; preds = %10, %9
  %12 = phi i32 [ %0, %9 ], [ %1, %10 ]
  %13 = icmp ne i32 %12, 0
  br i1 %13, label %14, label %18

14:                                               ; preds = %11
  %15 = icmp ne i32 %0, 0
  %16 = zext i1 %15 to i64
  %17 = select i1 %15, i32 1, i32 2
  br label %19

18:                                               ; preds = %11
  br label %19

19:                                               ; preds = %18, %14
  %20 = phi i32 [ %17, %14 ], [ 3, %18 ]
  ret i32 %20
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @swap_in_loop(i32 noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  br label %4

4:                                                ; preds = %7, %3
  %.02 = phi i32 [ %2, %3 ], [ %5, %7 ]
  %.01 = phi i32 [ %1, %3 ], [ %.0, %7 ]
  %.0 = phi i32 [ %0, %3 ], [ %.01, %7 ]
  %5 = add nsw i32 %.02, -1
  %6 = icmp ne i32 %.02, 0
  br i1 %6, label %7, label %8

7:                                                ; preds = %4
  br label %4, !llvm.loop !18

8:                                                ; preds = %4
  %9 = sub nsw i32 %.0, %.01
  ret i32 %9
}

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { noreturn "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { argmemonly nofree nounwind willreturn }
attributes #4 = { nofree nosync nounwind willreturn }
attributes #5 = { noreturn }
attributes #6 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 1}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
!7 = distinct !{!7, !6}
!8 = distinct !{!8, !6}
!9 = distinct !{!9, !6}
!10 = distinct !{!10, !6}
!11 = !{i64 1670}
!12 = distinct !{!12, !6}
!13 = distinct !{!13, !6}
!14 = distinct !{!14, !6}
!15 = distinct !{!15, !6}
!16 = distinct !{!16, !6}
!17 = distinct !{!17, !6}
!18 = distinct !{!18, !6}
