; ModuleID = 'by_hand.ll'
source_filename = "by_hand.ll"

%0 = type { i32, i32 }

declare i32 @c(i32)

; Function Attrs: argmemonly nofree nosync nounwind willreturn
declare void @llvm.lifetime.start.p0i8(i64 immarg, i8* nocapture) #0

; Function Attrs: argmemonly nofree nosync nounwind willreturn
declare void @llvm.lifetime.end.p0i8(i64 immarg, i8* nocapture) #0

define i32 @"a name with blanks"(i32 %0, i32 %"an argument") {
  br label %"the loop, in quotes<header>"

"the loop, in quotes<header>":                    ; preds = %4, %1
  %"a variable.0" = phi i32 [ 1, %1 ], [ %5, %4 ]
  %.0 = phi i32 [ %0, %1 ], [ %2, %4 ]
  %2 = call i32 @c(i32 %.0)
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %"100", label %4

4:                                                ; preds = %"the loop, in quotes<header>"
  %5 = add i32 %"a variable.0", %2
  br label %"the loop, in quotes<header>"

"100":                                            ; preds = %"the loop, in quotes<header>"
  ret i32 %"a variable.0"
}

define i32 @unreachable(i32 %x) {
entry:
  br label %join

dead:                                             ; No predecessors!
  store i32 7, i32* poison, align 4
  br i1 true, label %join, label %dead.loop

dead.loop:                                        ; preds = %dead.loop, %dead
  br label %dead.loop

join:                                             ; preds = %dead, %entry
  ret i32 %x
}

define i32 @parallel(i32 %x) {
entry:
  switch i32 %x, label %next [
    i32 0, label %join
    i32 1, label %join
    i32 2, label %next
  ]

next:                                             ; preds = %entry, %entry
  br i1 undef, label %join, label %join

join:                                             ; preds = %next, %next, %entry, %entry
  %v.0 = phi i32 [ 2, %next ], [ 2, %next ], [ 1, %entry ], [ 1, %entry ]
  ret i32 %v.0
}

define i32 @conditions(i32 %x, i32 %n, i1 %b) {
entry:
  %array = alloca i32, i32 %n, align 4
  %other.type = alloca i32, align 4
  %element = alloca [2 x i32], align 4
  store i32 %x, i32* %array, align 4
  %float = bitcast i32* %other.type to float*
  store float 1.000000e+00, float* %float, align 4
  %first = getelementptr [2 x i32], [2 x i32]* %element, i32 0, i32 0
  store i32 %x, i32* %first, align 4
  br i1 %b, label %left, label %right

left:                                             ; preds = %entry
  store i32 2, i32* %array, align 4
  store i32 2, i32* %other.type, align 4
  store i32 2, i32* %first, align 4
  br label %join

right:                                            ; preds = %entry
  br label %join

join:                                             ; preds = %right, %left
  %life.0 = phi i32 [ 2, %left ], [ %x, %right ]
  %pointer.0 = phi i32* [ null, %left ], [ %array, %right ]
  %atomic.0 = phi i32 [ 2, %left ], [ 1, %right ]
  %struct.0 = phi %0 [ zeroinitializer, %left ], [ { i32 1, i32 2 }, %right ]
  %a = load i32, i32* %array, align 4
  %o = load i32, i32* %other.type, align 4
  %e = load i32, i32* %first, align 4
  %q = load i32, i32* %pointer.0, align 4
  ret i32 %life.0
}

define i32 @phis.already(i32 %x, i1 %b) {
entry:
  br i1 %b, label %left, label %join

left:                                             ; preds = %entry
  br label %join

join:                                             ; preds = %left, %entry
  %x.0 = phi i32 [ 1, %entry ], [ 2, %left ]
  %v.0 = phi i32 [ 3, %entry ], [ %x, %left ]
  br i1 %b, label %join2, label %end

join2:                                            ; preds = %join
  br label %end

end:                                              ; preds = %join2, %join
  %v.1 = phi i32 [ %x.0, %join2 ], [ %v.0, %join ]
  %t = add i32 %x, %v.1
  ret i32 %t
}

attributes #0 = { argmemonly nofree nosync nounwind willreturn }
