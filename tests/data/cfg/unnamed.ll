; ModuleID = 'hard.c'
source_filename = "hard.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i32 }

@computed.t = internal global [3 x i8*] [i8* blockaddress(@computed, %9), i8* blockaddress(@computed, %22), i8* blockaddress(@computed, %30)], align 16

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @one_block(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %3 = load i32, i32* %2, align 4
  %4 = add nsw i32 %3, 1
  ret i32 %4
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  br label %3

3:                                                ; preds = %3, %1
  %4 = load i32, i32* %2, align 4
  %5 = call i32 @c(i32 noundef %4)
  store i32 %5, i32* %2, align 4
  br label %3
}

declare i32 @c(i32 noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_endless(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %3 = load i32, i32* %2, align 4
  %4 = icmp ne i32 %3, 0
  br i1 %4, label %5, label %15

5:                                                ; preds = %1
  br label %6

6:                                                ; preds = %14, %5
  %7 = load i32, i32* %2, align 4
  %8 = call i32 @c(i32 noundef %7)
  store i32 %8, i32* %2, align 4
  %9 = load i32, i32* %2, align 4
  %10 = icmp eq i32 %9, 3
  br i1 %10, label %11, label %14

11:                                               ; preds = %6
  %12 = load i32, i32* %2, align 4
  %13 = add nsw i32 %12, 1
  store i32 %13, i32* %2, align 4
  br label %14

14:                                               ; preds = %11, %6
  br label %6

15:                                               ; preds = %1
  br label %16

16:                                               ; preds = %15, %21
  %17 = call i32 @c(i32 noundef 1)
  %18 = icmp ne i32 %17, 0
  br i1 %18, label %19, label %21

19:                                               ; preds = %16
  %20 = call i32 @c(i32 noundef 2)
  br label %21

21:                                               ; preds = %19, %16
  br label %16
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless_within(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  br label %3

3:                                                ; preds = %14, %1
  %4 = load i32, i32* %2, align 4
  %5 = add nsw i32 %4, -1
  store i32 %5, i32* %2, align 4
  %6 = icmp ne i32 %4, 0
  br i1 %6, label %7, label %15

7:                                                ; preds = %3
  %8 = load i32, i32* %2, align 4
  %9 = call i32 @c(i32 noundef %8)
  %10 = icmp eq i32 %9, 7
  br i1 %10, label %11, label %14

11:                                               ; preds = %7
  br label %12

12:                                               ; preds = %12, %11
  %13 = call i32 @c(i32 noundef 3)
  br label %12

14:                                               ; preds = %7
  br label %3, !llvm.loop !5

15:                                               ; preds = %3
  %16 = load i32, i32* %2, align 4
  ret i32 %16
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @self_loop(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  br label %3

3:                                                ; preds = %3, %1
  br label %3
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @nested_endless(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  br label %3

3:                                                ; preds = %21, %1
  br label %4

4:                                                ; preds = %12, %3
  %5 = load i32, i32* %2, align 4
  %6 = call i32 @c(i32 noundef %5)
  %7 = icmp ne i32 %6, 0
  br i1 %7, label %8, label %13

8:                                                ; preds = %4
  %9 = call i32 @c(i32 noundef 2)
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %11, label %12

11:                                               ; preds = %8
  br label %13

12:                                               ; preds = %8
  br label %4, !llvm.loop !7

13:                                               ; preds = %11, %4
  br label %14

14:                                               ; preds = %17, %13
  %15 = load i32, i32* %2, align 4
  %16 = add nsw i32 %15, 1
  store i32 %16, i32* %2, align 4
  br label %17

17:                                               ; preds = %14
  %18 = load i32, i32* %2, align 4
  %19 = call i32 @c(i32 noundef %18)
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %14, label %21, !llvm.loop !8

21:                                               ; preds = %17
  br label %3
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @no_return(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %3 = load i32, i32* %2, align 4
  %4 = icmp ne i32 %3, 0
  br i1 %4, label %5, label %6

5:                                                ; preds = %1
  call void @die() #5
  unreachable

6:                                                ; preds = %1
  call void @die() #5
  unreachable
}

; Function Attrs: noreturn
declare void @die() #2

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @many_ends(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %3 = load i32, i32* %2, align 4
  switch i32 %3, label %8 [
    i32 1, label %4
    i32 2, label %5
    i32 3, label %7
  ]

4:                                                ; preds = %1
  ret i32 1

5:                                                ; preds = %1
  br label %6

6:                                                ; preds = %6, %5
  br label %6

7:                                                ; preds = %1
  call void @die() #5
  unreachable

8:                                                ; preds = %1
  br label %9

9:                                                ; preds = %8, %13
  %10 = call i32 @c(i32 noundef 1)
  %11 = icmp ne i32 %10, 0
  br i1 %11, label %12, label %13

12:                                               ; preds = %9
  call void @die() #5
  unreachable

13:                                               ; preds = %9
  br label %9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @irreducible(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store i32 %0, i32* %4, align 4
  store i32 %1, i32* %5, align 4
  %6 = load i32, i32* %4, align 4
  %7 = icmp ne i32 %6, 0
  br i1 %7, label %8, label %9

8:                                                ; preds = %2
  br label %18

9:                                                ; preds = %2
  br label %10

10:                                               ; preds = %24, %9
  %11 = load i32, i32* %5, align 4
  %12 = call i32 @c(i32 noundef %11)
  store i32 %12, i32* %5, align 4
  %13 = load i32, i32* %5, align 4
  %14 = icmp eq i32 %13, 4
  br i1 %14, label %15, label %17

15:                                               ; preds = %10
  %16 = load i32, i32* %5, align 4
  store i32 %16, i32* %3, align 4
  br label %29

17:                                               ; preds = %10
  br label %18

18:                                               ; preds = %17, %8
  %19 = load i32, i32* %5, align 4
  %20 = add nsw i32 %19, 1
  %21 = call i32 @c(i32 noundef %20)
  store i32 %21, i32* %5, align 4
  %22 = load i32, i32* %5, align 4
  %23 = icmp eq i32 %22, 5
  br i1 %23, label %24, label %25

24:                                               ; preds = %18
  br label %10

25:                                               ; preds = %18
  %26 = load i32, i32* %4, align 4
  %27 = load i32, i32* %5, align 4
  %28 = add nsw i32 %26, %27
  store i32 %28, i32* %3, align 4
  br label %29

29:                                               ; preds = %25, %15
  %30 = load i32, i32* %3, align 4
  ret i32 %30
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @duff(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  store i32 0, i32* %3, align 4
  %4 = load i32, i32* %2, align 4
  %5 = and i32 %4, 3
  switch i32 %5, label %39 [
    i32 0, label %6
    i32 1, label %10
    i32 2, label %14
    i32 3, label %30
  ]

6:                                                ; preds = %1
  br label %7

7:                                                ; preds = %34, %6
  %8 = load i32, i32* %3, align 4
  %9 = call i32 @c(i32 noundef %8)
  store i32 %9, i32* %3, align 4
  br label %10

10:                                               ; preds = %1, %7
  %11 = load i32, i32* %3, align 4
  %12 = add nsw i32 %11, 1
  %13 = call i32 @c(i32 noundef %12)
  store i32 %13, i32* %3, align 4
  br label %14

14:                                               ; preds = %1, %10
  %15 = load i32, i32* %3, align 4
  %16 = add nsw i32 %15, 2
  %17 = call i32 @c(i32 noundef %16)
  store i32 %17, i32* %3, align 4
  br label %18

18:                                               ; preds = %28, %14
  %19 = load i32, i32* %3, align 4
  %20 = call i32 @c(i32 noundef %19)
  %21 = icmp ne i32 %20, 0
  br i1 %21, label %22, label %29

22:                                               ; preds = %18
  %23 = load i32, i32* %3, align 4
  %24 = add nsw i32 %23, 1
  store i32 %24, i32* %3, align 4
  %25 = load i32, i32* %3, align 4
  %26 = icmp eq i32 %25, 9
  br i1 %26, label %27, label %28

27:                                               ; preds = %22
  br label %40

28:                                               ; preds = %22
  br label %18, !llvm.loop !9

29:                                               ; preds = %18
  br label %30

30:                                               ; preds = %1, %29
  %31 = load i32, i32* %3, align 4
  %32 = add nsw i32 %31, 3
  %33 = call i32 @c(i32 noundef %32)
  store i32 %33, i32* %3, align 4
  br label %34

34:                                               ; preds = %30
  %35 = load i32, i32* %2, align 4
  %36 = add nsw i32 %35, -1
  store i32 %36, i32* %2, align 4
  %37 = icmp sgt i32 %36, 0
  br i1 %37, label %7, label %38, !llvm.loop !10

38:                                               ; preds = %34
  br label %39

39:                                               ; preds = %38, %1
  br label %40

40:                                               ; preds = %39, %27
  %41 = load i32, i32* %3, align 4
  ret i32 %41
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @natural_in_irreducible(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %4 = load i32, i32* %2, align 4
  store i32 %4, i32* %3, align 4
  br label %5

5:                                                ; preds = %29, %16, %1
  %6 = load i32, i32* %3, align 4
  %7 = call i32 @c(i32 noundef %6)
  store i32 %7, i32* %3, align 4
  %8 = load i32, i32* %3, align 4
  %9 = icmp eq i32 %8, 1
  br i1 %9, label %10, label %11

10:                                               ; preds = %5
  br label %22

11:                                               ; preds = %5
  br label %12

12:                                               ; preds = %28, %11
  %13 = load i32, i32* %3, align 4
  %14 = call i32 @c(i32 noundef %13)
  %15 = icmp ne i32 %14, 0
  br i1 %15, label %16, label %17

16:                                               ; preds = %12
  br label %5

17:                                               ; preds = %12
  %18 = call i32 @c(i32 noundef 2)
  %19 = icmp ne i32 %18, 0
  br i1 %19, label %20, label %21

20:                                               ; preds = %17
  br label %30

21:                                               ; preds = %17
  br label %22

22:                                               ; preds = %21, %10
  %23 = load i32, i32* %3, align 4
  %24 = add nsw i32 %23, 2
  store i32 %24, i32* %3, align 4
  %25 = load i32, i32* %3, align 4
  %26 = call i32 @c(i32 noundef %25)
  %27 = icmp eq i32 %26, 3
  br i1 %27, label %28, label %29

28:                                               ; preds = %22
  br label %12

29:                                               ; preds = %22
  br label %5

30:                                               ; preds = %20
  %31 = load i32, i32* %3, align 4
  ret i32 %31
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_kinds_of_latches(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %4 = load i32, i32* %2, align 4
  store i32 %4, i32* %3, align 4
  %5 = call i32 @c(i32 noundef 0)
  %6 = icmp ne i32 %5, 0
  br i1 %6, label %7, label %8

7:                                                ; preds = %1
  br label %21

8:                                                ; preds = %1
  br label %9

9:                                                ; preds = %21, %14, %8
  %10 = load i32, i32* %3, align 4
  %11 = call i32 @c(i32 noundef %10)
  store i32 %11, i32* %3, align 4
  %12 = load i32, i32* %3, align 4
  %13 = icmp eq i32 %12, 1
  br i1 %13, label %14, label %15

14:                                               ; preds = %9
  br label %9

15:                                               ; preds = %9
  %16 = load i32, i32* %3, align 4
  %17 = call i32 @c(i32 noundef %16)
  %18 = icmp ne i32 %17, 0
  br i1 %18, label %19, label %20

19:                                               ; preds = %15
  br label %24

20:                                               ; preds = %15
  br label %21

21:                                               ; preds = %20, %7
  %22 = load i32, i32* %3, align 4
  %23 = add nsw i32 %22, 2
  store i32 %23, i32* %3, align 4
  br label %9

24:                                               ; preds = %19
  %25 = load i32, i32* %3, align 4
  ret i32 %25
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @computed(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  store i32 0, i32* %3, align 4
  %4 = load i32, i32* %2, align 4
  %5 = srem i32 %4, 3
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %6
  %8 = load i8*, i8** %7, align 8
  br label %32

9:                                                ; preds = %32
  %10 = load i32, i32* %3, align 4
  %11 = add nsw i32 %10, 1
  store i32 %11, i32* %3, align 4
  %12 = load i32, i32* %3, align 4
  %13 = call i32 @c(i32 noundef %12)
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %15, label %21

15:                                               ; preds = %9
  %16 = load i32, i32* %3, align 4
  %17 = srem i32 %16, 3
  %18 = sext i32 %17 to i64
  %19 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %18
  %20 = load i8*, i8** %19, align 8
  br label %32

21:                                               ; preds = %9
  br label %22

22:                                               ; preds = %21, %32
  %23 = load i32, i32* %3, align 4
  %24 = add nsw i32 %23, 2
  store i32 %24, i32* %3, align 4
  %25 = load i32, i32* %3, align 4
  %26 = srem i32 %25, 3
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %27
  %29 = load i8*, i8** %28, align 8
  br label %32

30:                                               ; preds = %32
  %31 = load i32, i32* %3, align 4
  ret i32 %31

32:                                               ; preds = %22, %15, %1
  %33 = phi i8* [ %8, %1 ], [ %20, %15 ], [ %29, %22 ]
  indirectbr i8* %33, [label %9, label %22, label %30]
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @assembly(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %3 = load i32, i32* %2, align 4
  callbr void asm sideeffect "nop ; label %x", "r,i,i,~{dirflag},~{fpsr},~{flags}"(i32 %3, i8* blockaddress(@assembly, %5), i8* blockaddress(@assembly, %8)) #6
          to label %4 [label %5, label %8], !srcloc !11

4:                                                ; preds = %1
  store i32 1, i32* %2, align 4
  br label %5

5:                                                ; preds = %4, %1
  %6 = load i32, i32* %2, align 4
  %7 = add nsw i32 %6, 1
  store i32 %7, i32* %2, align 4
  br label %8

8:                                                ; preds = %5, %1
  %9 = load i32, i32* %2, align 4
  ret i32 %9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @undefined_uses(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %7 = load i32, i32* %2, align 4
  %8 = icmp ne i32 %7, 0
  br i1 %8, label %9, label %10

9:                                                ; preds = %1
  store i32 3, i32* %3, align 4
  br label %10

10:                                               ; preds = %9, %1
  store i32 0, i32* %5, align 4
  br label %11

11:                                               ; preds = %23, %10
  %12 = load i32, i32* %5, align 4
  %13 = load i32, i32* %2, align 4
  %14 = icmp slt i32 %12, %13
  br i1 %14, label %15, label %26

15:                                               ; preds = %11
  %16 = load i32, i32* %5, align 4
  %17 = icmp ne i32 %16, 0
  br i1 %17, label %18, label %21

18:                                               ; preds = %15
  %19 = load i32, i32* %6, align 4
  %20 = call i32 @c(i32 noundef %19)
  store i32 %20, i32* %6, align 4
  br label %21

21:                                               ; preds = %18, %15
  %22 = load i32, i32* %6, align 4
  store i32 %22, i32* %4, align 4
  br label %23

23:                                               ; preds = %21
  %24 = load i32, i32* %5, align 4
  %25 = add nsw i32 %24, 1
  store i32 %25, i32* %5, align 4
  br label %11, !llvm.loop !12

26:                                               ; preds = %11
  %27 = load i32, i32* %3, align 4
  %28 = load i32, i32* %4, align 4
  %29 = add nsw i32 %27, %28
  ret i32 %29
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_constant(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %4 = load i32, i32* %2, align 4
  %5 = icmp ne i32 %4, 0
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  store i32 3, i32* %3, align 4
  br label %8

7:                                                ; preds = %1
  store i32 3, i32* %3, align 4
  br label %8

8:                                                ; preds = %7, %6
  %9 = load i32, i32* %3, align 4
  ret i32 %9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_value(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %5 = load i32, i32* %2, align 4
  store i32 %5, i32* %3, align 4
  %6 = call i32 @c(i32 noundef 1)
  %7 = icmp ne i32 %6, 0
  br i1 %7, label %8, label %10

8:                                                ; preds = %1
  %9 = load i32, i32* %3, align 4
  store i32 %9, i32* %4, align 4
  br label %12

10:                                               ; preds = %1
  %11 = load i32, i32* %3, align 4
  store i32 %11, i32* %4, align 4
  br label %12

12:                                               ; preds = %10, %8
  %13 = load i32, i32* %4, align 4
  ret i32 %13
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @address(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %4 = load i32, i32* %2, align 4
  %5 = icmp ne i32 %4, 0
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  store i32 3, i32* %3, align 4
  br label %8

7:                                                ; preds = %1
  store i32 4, i32* %3, align 4
  br label %8

8:                                                ; preds = %7, %6
  call void @use(i32* noundef %3)
  %9 = load i32, i32* %3, align 4
  ret i32 %9
}

declare void @use(i32* noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @is_volatile(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %4 = load i32, i32* %2, align 4
  %5 = icmp ne i32 %4, 0
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  store volatile i32 3, i32* %3, align 4
  br label %8

7:                                                ; preds = %1
  store volatile i32 4, i32* %3, align 4
  br label %8

8:                                                ; preds = %7, %6
  %9 = load volatile i32, i32* %3, align 4
  ret i32 %9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_pointer(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32*, align 8
  store i32 %0, i32* %2, align 4
  store i32 0, i32* %3, align 4
  store i32* %3, i32** %4, align 8
  br label %5

5:                                                ; preds = %10, %1
  %6 = load i32*, i32** %4, align 8
  %7 = load i32, i32* %6, align 4
  %8 = call i32 @c(i32 noundef %7)
  %9 = icmp ne i32 %8, 0
  br i1 %9, label %10, label %15

10:                                               ; preds = %5
  %11 = load i32, i32* %2, align 4
  %12 = load i32*, i32** %4, align 8
  %13 = load i32, i32* %12, align 4
  %14 = add nsw i32 %13, %11
  store i32 %14, i32* %12, align 4
  br label %5, !llvm.loop !13

15:                                               ; preds = %5
  %16 = load i32, i32* %3, align 4
  ret i32 %16
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_two(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32*, align 8
  store i32 %0, i32* %2, align 4
  store i32 0, i32* %3, align 4
  store i32 1, i32* %4, align 4
  %6 = load i32, i32* %2, align 4
  %7 = icmp ne i32 %6, 0
  br i1 %7, label %8, label %9

8:                                                ; preds = %1
  store i32* %3, i32** %5, align 8
  br label %10

9:                                                ; preds = %1
  store i32* %4, i32** %5, align 8
  br label %10

10:                                               ; preds = %9, %8
  %11 = load i32*, i32** %5, align 8
  store i32 4, i32* %11, align 4
  %12 = load i32, i32* %3, align 4
  %13 = load i32, i32* %4, align 4
  %14 = add nsw i32 %12, %13
  ret i32 %14
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @three_deep(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32*, align 8
  %5 = alloca i32**, align 8
  store i32 %0, i32* %2, align 4
  store i32 0, i32* %3, align 4
  store i32* %3, i32** %4, align 8
  store i32** %4, i32*** %5, align 8
  br label %6

6:                                                ; preds = %12, %1
  %7 = load i32**, i32*** %5, align 8
  %8 = load i32*, i32** %7, align 8
  %9 = load i32, i32* %8, align 4
  %10 = call i32 @c(i32 noundef %9)
  %11 = icmp ne i32 %10, 0
  br i1 %11, label %12, label %21

12:                                               ; preds = %6
  %13 = load i32, i32* %2, align 4
  %14 = load i32**, i32*** %5, align 8
  %15 = load i32*, i32** %14, align 8
  %16 = load i32, i32* %15, align 4
  %17 = add nsw i32 %16, %13
  store i32 %17, i32* %15, align 4
  %18 = load i32*, i32** %4, align 8
  %19 = load i32, i32* %18, align 4
  %20 = sub nsw i32 %19, 1
  store i32 %20, i32* %18, align 4
  br label %6, !llvm.loop !14

21:                                               ; preds = %6
  %22 = load i32, i32* %3, align 4
  ret i32 %22
}

; Function Attrs: noinline nounwind uwtable
define dso_local i64 @whole(i64 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i64, align 8
  %4 = alloca i32, align 4
  %5 = alloca i64, align 8
  store i64 %0, i64* %3, align 8
  store i32 %1, i32* %4, align 4
  %6 = load i64, i64* %3, align 8
  store i64 %6, i64* %5, align 8
  br label %7

7:                                                ; preds = %11, %2
  %8 = load i32, i32* %4, align 4
  %9 = add nsw i32 %8, -1
  store i32 %9, i32* %4, align 4
  %10 = icmp ne i32 %8, 0
  br i1 %10, label %11, label %17

11:                                               ; preds = %7
  %12 = load i32, i32* %4, align 4
  %13 = sext i32 %12 to i64
  %14 = load i64, i64* %5, align 8
  %15 = add nsw i64 %14, %13
  store i64 %15, i64* %5, align 8
  %16 = load i64, i64* %5, align 8
  store i64 %16, i64* %3, align 8
  br label %7, !llvm.loop !15

17:                                               ; preds = %7
  %18 = load i64, i64* %3, align 8
  ret i64 %18
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @members(i64 %0, i32 noundef %1) #0 {
  %3 = alloca %struct.pair, align 4
  %4 = alloca i32, align 4
  %5 = alloca %struct.pair, align 4
  %6 = bitcast %struct.pair* %3 to i64*
  store i64 %0, i64* %6, align 4
  store i32 %1, i32* %4, align 4
  %7 = bitcast %struct.pair* %5 to i8*
  %8 = bitcast %struct.pair* %3 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %7, i8* align 4 %8, i64 8, i1 false)
  br label %9

9:                                                ; preds = %13, %2
  %10 = load i32, i32* %4, align 4
  %11 = add nsw i32 %10, -1
  store i32 %11, i32* %4, align 4
  %12 = icmp ne i32 %10, 0
  br i1 %12, label %13, label %20

13:                                               ; preds = %9
  %14 = load i32, i32* %4, align 4
  %15 = getelementptr inbounds %struct.pair, %struct.pair* %5, i32 0, i32 0
  %16 = load i32, i32* %15, align 4
  %17 = add nsw i32 %16, %14
  store i32 %17, i32* %15, align 4
  %18 = bitcast %struct.pair* %3 to i8*
  %19 = bitcast %struct.pair* %5 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %18, i8* align 4 %19, i64 8, i1 false)
  br label %9, !llvm.loop !16

20:                                               ; preds = %9
  %21 = getelementptr inbounds %struct.pair, %struct.pair* %3, i32 0, i32 0
  %22 = load i32, i32* %21, align 4
  ret i32 %22
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg) #3

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @variable_length(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i8*, align 8
  %4 = alloca i64, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store i32 %0, i32* %2, align 4
  %7 = load i32, i32* %2, align 4
  %8 = zext i32 %7 to i64
  %9 = call i8* @llvm.stacksave()
  store i8* %9, i8** %3, align 8
  %10 = alloca i32, i64 %8, align 16
  store i64 %8, i64* %4, align 8
  store i32 0, i32* %5, align 4
  store i32 0, i32* %6, align 4
  br label %11

11:                                               ; preds = %22, %1
  %12 = load i32, i32* %6, align 4
  %13 = load i32, i32* %2, align 4
  %14 = icmp slt i32 %12, %13
  br i1 %14, label %15, label %25

15:                                               ; preds = %11
  %16 = load i32, i32* %6, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds i32, i32* %10, i64 %17
  %19 = load i32, i32* %18, align 4
  %20 = load i32, i32* %5, align 4
  %21 = add nsw i32 %20, %19
  store i32 %21, i32* %5, align 4
  br label %22

22:                                               ; preds = %15
  %23 = load i32, i32* %6, align 4
  %24 = add nsw i32 %23, 1
  store i32 %24, i32* %6, align 4
  br label %11, !llvm.loop !17

25:                                               ; preds = %11
  %26 = load i32, i32* %5, align 4
  %27 = load i8*, i8** %3, align 8
  call void @llvm.stackrestore(i8* %27)
  ret i32 %26
}

; Function Attrs: nofree nosync nounwind willreturn
declare i8* @llvm.stacksave() #4

; Function Attrs: nofree nosync nounwind willreturn
declare void @llvm.stackrestore(i8*) #4

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @conditions(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store i32 %0, i32* %3, align 4
  store i32 %1, i32* %4, align 4
  %6 = load i32, i32* %3, align 4
  %7 = icmp ne i32 %6, 0
  br i1 %7, label %8, label %11

8:                                                ; preds = %2
  %9 = load i32, i32* %4, align 4
  %10 = icmp ne i32 %9, 0
  br i1 %10, label %14, label %11

11:                                               ; preds = %8, %2
  %12 = call i32 @c(i32 noundef 1)
  %13 = icmp ne i32 %12, 0
  br i1 %13, label %14, label %16

14:                                               ; preds = %11, %8
  %15 = load i32, i32* %3, align 4
  br label %18

16:                                               ; preds = %11
  %17 = load i32, i32* %4, align 4
  br label %18

18:                                               ; preds = %16, %14
  %19 = phi i32 [ %15, %14 ], [ %17, %16 ]
  store i32 %19, i32* %5, align 4
  %20 = load i32, i32* %5, align 4
  %21 = icmp ne i32 %20, 0
  br i1 %21, label %22, label %27

22:                                               ; preds = %18
  %23 = load i32, i32* %3, align 4
  %24 = icmp ne i32 %23, 0
  %25 = zext i1 %24 to i64
  %26 = select i1 %24, i32 1, i32 2
  br label %28

27:                                               ; preds = %18
  br label %28

28:                                               ; preds = %27, %22
  %29 = phi i32 [ %26, %22 ], [ 3, %27 ]
  store i32 %29, i32* %5, align 4
  %30 = load i32, i32* %5, align 4
  ret i32 %30
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @swap_in_loop(i32 noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  store i32 %0, i32* %4, align 4
  store i32 %1, i32* %5, align 4
  store i32 %2, i32* %6, align 4
  br label %8

8:                                                ; preds = %12, %3
  %9 = load i32, i32* %6, align 4
  %10 = add nsw i32 %9, -1
  store i32 %10, i32* %6, align 4
  %11 = icmp ne i32 %9, 0
  br i1 %11, label %12, label %16

12:                                               ; preds = %8
  %13 = load i32, i32* %4, align 4
  store i32 %13, i32* %7, align 4
  %14 = load i32, i32* %5, align 4
  store i32 %14, i32* %4, align 4
  %15 = load i32, i32* %7, align 4
  store i32 %15, i32* %5, align 4
  br label %8, !llvm.loop !18

16:                                               ; preds = %8
  %17 = load i32, i32* %4, align 4
  %18 = load i32, i32* %5, align 4
  %19 = sub nsw i32 %17, %18
  ret i32 %19
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
