; ModuleID = 'hard.ll'
source_filename = "hard.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i32 }

@computed.t = internal global [3 x i8*] [i8* blockaddress(@computed, %a), i8* blockaddress(@computed, %b), i8* blockaddress(@computed, %d)], align 16

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @one_block(i32 noundef %x) #0 {
entry:
  %add = add nsw i32 %x, 1
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless(i32 noundef %x) #0 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.cond, %entry
  %x.addr.0 = phi i32 [ %x, %entry ], [ %call, %for.cond ]
  %call = call i32 @c(i32 noundef %x.addr.0)
  br label %for.cond
}

declare i32 @c(i32 noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_endless(i32 noundef %x) #0 {
entry:
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  br label %for.cond

for.cond:                                         ; preds = %if.end, %if.then
  %x.addr.0 = phi i32 [ %x, %if.then ], [ %x.addr.1, %if.end ]
  %call = call i32 @c(i32 noundef %x.addr.0)
  %cmp = icmp eq i32 %call, 3
  br i1 %cmp, label %if.then1, label %if.end

if.then1:                                         ; preds = %for.cond
  %inc = add nsw i32 %call, 1
  br label %if.end

if.end:                                           ; preds = %if.then1, %for.cond
  %x.addr.1 = phi i32 [ %inc, %if.then1 ], [ %call, %for.cond ]
  br label %for.cond

if.else:                                          ; preds = %entry
  br label %while.body

while.body:                                       ; preds = %if.end6, %if.else
  %call2 = call i32 @c(i32 noundef 1)
  %tobool3 = icmp ne i32 %call2, 0
  br i1 %tobool3, label %if.then4, label %if.end6

if.then4:                                         ; preds = %while.body
  %call5 = call i32 @c(i32 noundef 2)
  br label %if.end6

if.end6:                                          ; preds = %if.then4, %while.body
  br label %while.body
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless_within(i32 noundef %x) #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %x.addr.0 = phi i32 [ %x, %entry ], [ %dec, %if.end ]
  %dec = add nsw i32 %x.addr.0, -1
  %tobool = icmp ne i32 %x.addr.0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %call = call i32 @c(i32 noundef %dec)
  %cmp = icmp eq i32 %call, 7
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  br label %for.cond

for.cond:                                         ; preds = %for.cond, %if.then
  %call1 = call i32 @c(i32 noundef 3)
  br label %for.cond

if.end:                                           ; preds = %while.body
  br label %while.cond, !llvm.loop !5

while.end:                                        ; preds = %while.cond
  ret i32 %dec
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @self_loop(i32 noundef %x) #0 {
entry:
  br label %l

l:                                                ; preds = %l, %entry
  br label %l
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @nested_endless(i32 noundef %x) #0 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %do.end, %entry
  %x.addr.0 = phi i32 [ %x, %entry ], [ %inc, %do.end ]
  br label %while.cond

while.cond:                                       ; preds = %if.end, %for.cond
  %call = call i32 @c(i32 noundef %x.addr.0)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %call1 = call i32 @c(i32 noundef 2)
  %tobool2 = icmp ne i32 %call1, 0
  br i1 %tobool2, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  br label %while.end

if.end:                                           ; preds = %while.body
  br label %while.cond, !llvm.loop !7

while.end:                                        ; preds = %if.then, %while.cond
  br label %do.body

do.body:                                          ; preds = %do.cond, %while.end
  %x.addr.1 = phi i32 [ %x.addr.0, %while.end ], [ %inc, %do.cond ]
  %inc = add nsw i32 %x.addr.1, 1
  br label %do.cond

do.cond:                                          ; preds = %do.body
  %call3 = call i32 @c(i32 noundef %inc)
  %tobool4 = icmp ne i32 %call3, 0
  br i1 %tobool4, label %do.body, label %do.end, !llvm.loop !8

do.end:                                           ; preds = %do.cond
  br label %for.cond
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @no_return(i32 noundef %x) #0 {
entry:
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  call void @die() #5
  unreachable

if.end:                                           ; preds = %entry
  call void @die() #5
  unreachable
}

; Function Attrs: noreturn
declare void @die() #2

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @many_ends(i32 noundef %x) #0 {
entry:
  switch i32 %x, label %sw.default [
    i32 1, label %sw.bb
    i32 2, label %sw.bb1
    i32 3, label %sw.bb2
  ]

sw.bb:                                            ; preds = %entry
  ret i32 1

sw.bb1:                                           ; preds = %entry
  br label %for.cond

for.cond:                                         ; preds = %for.cond, %sw.bb1
  br label %for.cond

sw.bb2:                                           ; preds = %entry
  call void @die() #5
  unreachable

sw.default:                                       ; preds = %entry
  br label %while.body

while.body:                                       ; preds = %if.end, %sw.default
  %call = call i32 @c(i32 noundef 1)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  call void @die() #5
  unreachable

if.end:                                           ; preds = %while.body
  br label %while.body
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @irreducible(i32 noundef %x, i32 noundef %y) #0 {
entry:
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  br label %b

if.end:                                           ; preds = %entry
  br label %a

a:                                                ; preds = %if.then5, %if.end
  %y.addr.0 = phi i32 [ %call3, %if.then5 ], [ %y, %if.end ]
  %call = call i32 @c(i32 noundef %y.addr.0)
  %cmp = icmp eq i32 %call, 4
  br i1 %cmp, label %if.then1, label %if.end2

if.then1:                                         ; preds = %a
  br label %return

if.end2:                                          ; preds = %a
  br label %b

b:                                                ; preds = %if.end2, %if.then
  %y.addr.1 = phi i32 [ %y, %if.then ], [ %call, %if.end2 ]
  %add = add nsw i32 %y.addr.1, 1
  %call3 = call i32 @c(i32 noundef %add)
  %cmp4 = icmp eq i32 %call3, 5
  br i1 %cmp4, label %if.then5, label %if.end6

if.then5:                                         ; preds = %b
  br label %a

if.end6:                                          ; preds = %b
  %add7 = add nsw i32 %x, %call3
  br label %return

return:                                           ; preds = %if.end6, %if.then1
  %retval.0 = phi i32 [ %call, %if.then1 ], [ %add7, %if.end6 ]
  ret i32 %retval.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @duff(i32 noundef %n) #0 {
entry:
  %and = and i32 %n, 3
  switch i32 %and, label %sw.epilog [
    i32 0, label %sw.bb
    i32 1, label %sw.bb1
    i32 2, label %sw.bb3
    i32 3, label %sw.bb7
  ]

sw.bb:                                            ; preds = %entry
  br label %do.body

do.body:                                          ; preds = %do.cond, %sw.bb
  %i.0 = phi i32 [ %call9, %do.cond ], [ 0, %sw.bb ]
  %n.addr.0 = phi i32 [ %dec, %do.cond ], [ %n, %sw.bb ]
  %call = call i32 @c(i32 noundef %i.0)
  br label %sw.bb1

sw.bb1:                                           ; preds = %do.body, %entry
  %i.1 = phi i32 [ %call, %do.body ], [ 0, %entry ]
  %n.addr.1 = phi i32 [ %n.addr.0, %do.body ], [ %n, %entry ]
  %add = add nsw i32 %i.1, 1
  %call2 = call i32 @c(i32 noundef %add)
  br label %sw.bb3

sw.bb3:                                           ; preds = %sw.bb1, %entry
  %i.2 = phi i32 [ %call2, %sw.bb1 ], [ 0, %entry ]
  %n.addr.2 = phi i32 [ %n.addr.1, %sw.bb1 ], [ %n, %entry ]
  %add4 = add nsw i32 %i.2, 2
  %call5 = call i32 @c(i32 noundef %add4)
  br label %while.cond

while.cond:                                       ; preds = %if.end, %sw.bb3
  %i.3 = phi i32 [ %call5, %sw.bb3 ], [ %inc, %if.end ]
  %call6 = call i32 @c(i32 noundef %i.3)
  %tobool = icmp ne i32 %call6, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %inc = add nsw i32 %i.3, 1
  %cmp = icmp eq i32 %inc, 9
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  br label %out

if.end:                                           ; preds = %while.body
  br label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %while.cond
  br label %sw.bb7

sw.bb7:                                           ; preds = %while.end, %entry
  %i.4 = phi i32 [ 0, %entry ], [ %i.3, %while.end ]
  %n.addr.3 = phi i32 [ %n, %entry ], [ %n.addr.2, %while.end ]
  %add8 = add nsw i32 %i.4, 3
  %call9 = call i32 @c(i32 noundef %add8)
  br label %do.cond

do.cond:                                          ; preds = %sw.bb7
  %dec = add nsw i32 %n.addr.3, -1
  %cmp10 = icmp sgt i32 %dec, 0
  br i1 %cmp10, label %do.body, label %do.end, !llvm.loop !10

do.end:                                           ; preds = %do.cond
  br label %sw.epilog

sw.epilog:                                        ; preds = %do.end, %entry
  %i.5 = phi i32 [ 0, %entry ], [ %call9, %do.end ]
  br label %out

out:                                              ; preds = %sw.epilog, %if.then
  %i.6 = phi i32 [ %i.5, %sw.epilog ], [ %inc, %if.then ]
  ret i32 %i.6
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @natural_in_irreducible(i32 noundef %n) #0 {
entry:
  br label %h

h:                                                ; preds = %if.end11, %if.then2, %entry
  %i.0 = phi i32 [ %n, %entry ], [ %i.1, %if.then2 ], [ %add, %if.end11 ]
  %call = call i32 @c(i32 noundef %i.0)
  %cmp = icmp eq i32 %call, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %h
  br label %in

if.end:                                           ; preds = %h
  br label %l

l:                                                ; preds = %if.then10, %if.end
  %i.1 = phi i32 [ %add, %if.then10 ], [ %call, %if.end ]
  %call1 = call i32 @c(i32 noundef %i.1)
  %tobool = icmp ne i32 %call1, 0
  br i1 %tobool, label %if.then2, label %if.end3

if.then2:                                         ; preds = %l
  br label %h

if.end3:                                          ; preds = %l
  %call4 = call i32 @c(i32 noundef 2)
  %tobool5 = icmp ne i32 %call4, 0
  br i1 %tobool5, label %if.then6, label %if.end7

if.then6:                                         ; preds = %if.end3
  br label %done

if.end7:                                          ; preds = %if.end3
  br label %in

in:                                               ; preds = %if.end7, %if.then
  %i.2 = phi i32 [ %call, %if.then ], [ %i.1, %if.end7 ]
  %add = add nsw i32 %i.2, 2
  %call8 = call i32 @c(i32 noundef %add)
  %cmp9 = icmp eq i32 %call8, 3
  br i1 %cmp9, label %if.then10, label %if.end11

if.then10:                                        ; preds = %in
  br label %l

if.end11:                                         ; preds = %in
  br label %h

done:                                             ; preds = %if.then6
  ret i32 %i.1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_kinds_of_latches(i32 noundef %n) #0 {
entry:
  %call = call i32 @c(i32 noundef 0)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  br label %in

if.end:                                           ; preds = %entry
  br label %h

h:                                                ; preds = %in, %if.then2, %if.end
  %i.0 = phi i32 [ %add, %in ], [ %call1, %if.then2 ], [ %n, %if.end ]
  %call1 = call i32 @c(i32 noundef %i.0)
  %cmp = icmp eq i32 %call1, 1
  br i1 %cmp, label %if.then2, label %if.end3

if.then2:                                         ; preds = %h
  br label %h

if.end3:                                          ; preds = %h
  %call4 = call i32 @c(i32 noundef %call1)
  %tobool5 = icmp ne i32 %call4, 0
  br i1 %tobool5, label %if.then6, label %if.end7

if.then6:                                         ; preds = %if.end3
  br label %done

if.end7:                                          ; preds = %if.end3
  br label %in

in:                                               ; preds = %if.end7, %if.then
  %i.1 = phi i32 [ %n, %if.then ], [ %call1, %if.end7 ]
  %add = add nsw i32 %i.1, 2
  br label %h

done:                                             ; preds = %if.then6
  ret i32 %call1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @computed(i32 noundef %n) #0 {
entry:
  %rem = srem i32 %n, 3
  %idxprom = sext i32 %rem to i64
  %arrayidx = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %idxprom
  %0 = load i8*, i8** %arrayidx, align 8
  br label %indirectgoto

a:                                                ; preds = %indirectgoto
  %add = add nsw i32 %r.1, 1
  %call = call i32 @c(i32 noundef %add)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %a
  %rem1 = srem i32 %add, 3
  %idxprom2 = sext i32 %rem1 to i64
  %arrayidx3 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %idxprom2
  %1 = load i8*, i8** %arrayidx3, align 8
  br label %indirectgoto

if.end:                                           ; preds = %a
  br label %b

b:                                                ; preds = %indirectgoto, %if.end
  %r.0 = phi i32 [ %add, %if.end ], [ %r.1, %indirectgoto ]
  %add4 = add nsw i32 %r.0, 2
  %rem5 = srem i32 %add4, 3
  %idxprom6 = sext i32 %rem5 to i64
  %arrayidx7 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %idxprom6
  %2 = load i8*, i8** %arrayidx7, align 8
  br label %indirectgoto

d:                                                ; preds = %indirectgoto
  ret i32 %r.1

indirectgoto:                                     ; preds = %b, %if.then, %entry
  %r.1 = phi i32 [ 0, %entry ], [ %add, %if.then ], [ %add4, %b ]
  %indirect.goto.dest = phi i8* [ %0, %entry ], [ %1, %if.then ], [ %2, %b ]
  indirectbr i8* %indirect.goto.dest, [label %a, label %b, label %d]
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @assembly(i32 noundef %x) #0 {
entry:
  callbr void asm sideeffect "nop ; label %x", "r,i,i,~{dirflag},~{fpsr},~{flags}"(i32 %x, i8* blockaddress(@assembly, %l1), i8* blockaddress(@assembly, %l2)) #6
          to label %asm.fallthrough [label %l1, label %l2], !srcloc !11

asm.fallthrough:                                  ; preds = %entry
  br label %l1

l1:                                               ; preds = %asm.fallthrough, %entry
  %x.addr.0 = phi i32 [ 1, %asm.fallthrough ], [ %x, %entry ]
  %inc = add nsw i32 %x.addr.0, 1
  br label %l2

l2:                                               ; preds = %l1, %entry
  %x.addr.1 = phi i32 [ %inc, %l1 ], [ %x, %entry ]
  ret i32 %x.addr.1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @undefined_uses(i32 noundef %x) #0 {
entry:
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end
  %z.0 = phi i32 [ undef, %if.end ], [ %w.1, %for.inc ]
  %i.0 = phi i32 [ 0, %if.end ], [ %inc, %for.inc ]
  %w.0 = phi i32 [ undef, %if.end ], [ %w.1, %for.inc ]
  %cmp = icmp slt i32 %i.0, %x
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %tobool1 = icmp ne i32 %i.0, 0
  br i1 %tobool1, label %if.then2, label %if.end3

if.then2:                                         ; preds = %for.body
  %call = call i32 @c(i32 noundef %w.0)
  br label %if.end3

if.end3:                                          ; preds = %if.then2, %for.body
  %w.1 = phi i32 [ %call, %if.then2 ], [ %w.0, %for.body ]
  br label %for.inc

for.inc:                                          ; preds = %if.end3
  %inc = add nsw i32 %i.0, 1
  br label %for.cond, !llvm.loop !12

for.end:                                          ; preds = %for.cond
  %add = add nsw i32 3, %z.0
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_constant(i32 noundef %x) #0 {
entry:
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  br label %if.end

if.else:                                          ; preds = %entry
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  ret i32 3
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_value(i32 noundef %a) #0 {
entry:
  %call = call i32 @c(i32 noundef 1)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  br label %if.end

if.else:                                          ; preds = %entry
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  ret i32 %a
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @address(i32 noundef %x) #0 {
entry:
  %y = alloca i32, align 4
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  store i32 3, i32* %y, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  store i32 4, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  call void @use(i32* noundef %y)
  %0 = load i32, i32* %y, align 4
  ret i32 %0
}

declare void @use(i32* noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @is_volatile(i32 noundef %x) #0 {
entry:
  %y = alloca i32, align 4
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  store volatile i32 3, i32* %y, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  store volatile i32 4, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %0 = load volatile i32, i32* %y, align 4
  ret i32 %0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_pointer(i32 noundef %x) #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %y.0 = phi i32 [ 0, %entry ], [ %add, %while.body ]
  %call = call i32 @c(i32 noundef %y.0)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %add = add nsw i32 %y.0, %x
  br label %while.cond, !llvm.loop !13

while.end:                                        ; preds = %while.cond
  ret i32 %y.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_two(i32 noundef %x) #0 {
entry:
  %y = alloca i32, align 4
  %z = alloca i32, align 4
  store i32 0, i32* %y, align 4
  store i32 1, i32* %z, align 4
  %tobool = icmp ne i32 %x, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  br label %if.end

if.else:                                          ; preds = %entry
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %p.0 = phi i32* [ %y, %if.then ], [ %z, %if.else ]
  store i32 4, i32* %p.0, align 4
  %0 = load i32, i32* %y, align 4
  %1 = load i32, i32* %z, align 4
  %add = add nsw i32 %0, %1
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @three_deep(i32 noundef %x) #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %y.0 = phi i32 [ 0, %entry ], [ %sub, %while.body ]
  %call = call i32 @c(i32 noundef %y.0)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %add = add nsw i32 %y.0, %x
  %sub = sub nsw i32 %add, 1
  br label %while.cond, !llvm.loop !14

while.end:                                        ; preds = %while.cond
  ret i32 %y.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i64 @whole(i64 noundef %s, i32 noundef %n) #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %t.0 = phi i64 [ %s, %entry ], [ %add, %while.body ]
  %n.addr.0 = phi i32 [ %n, %entry ], [ %dec, %while.body ]
  %s.addr.0 = phi i64 [ %s, %entry ], [ %add, %while.body ]
  %dec = add nsw i32 %n.addr.0, -1
  %tobool = icmp ne i32 %n.addr.0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %conv = sext i32 %dec to i64
  %add = add nsw i64 %t.0, %conv
  br label %while.cond, !llvm.loop !15

while.end:                                        ; preds = %while.cond
  ret i64 %s.addr.0
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @members(i64 %s.coerce, i32 noundef %n) #0 {
entry:
  %s = alloca %struct.pair, align 4
  %t = alloca %struct.pair, align 4
  %0 = bitcast %struct.pair* %s to i64*
  store i64 %s.coerce, i64* %0, align 4
  %1 = bitcast %struct.pair* %t to i8*
  %2 = bitcast %struct.pair* %s to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %1, i8* align 4 %2, i64 8, i1 false)
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %n.addr.0 = phi i32 [ %n, %entry ], [ %dec, %while.body ]
  %dec = add nsw i32 %n.addr.0, -1
  %tobool = icmp ne i32 %n.addr.0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %a = getelementptr inbounds %struct.pair, %struct.pair* %t, i32 0, i32 0
  %3 = load i32, i32* %a, align 4
  %add = add nsw i32 %3, %dec
  store i32 %add, i32* %a, align 4
  %4 = bitcast %struct.pair* %s to i8*
  %5 = bitcast %struct.pair* %t to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %4, i8* align 4 %5, i64 8, i1 false)
  br label %while.cond, !llvm.loop !16

while.end:                                        ; preds = %while.cond
  %a1 = getelementptr inbounds %struct.pair, %struct.pair* %s, i32 0, i32 0
  %6 = load i32, i32* %a1, align 4
  ret i32 %6
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg) #3

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @variable_length(i32 noundef %n) #0 {
entry:
  %0 = zext i32 %n to i64
  %1 = call i8* @llvm.stacksave()
  %vla = alloca i32, i64 %0, align 16
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %s.0 = phi i32 [ 0, %entry ], [ %add, %for.inc ]
  %i.0 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %cmp = icmp slt i32 %i.0, %n
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %idxprom = sext i32 %i.0 to i64
  %arrayidx = getelementptr inbounds i32, i32* %vla, i64 %idxprom
  %2 = load i32, i32* %arrayidx, align 4
  %add = add nsw i32 %s.0, %2
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %inc = add nsw i32 %i.0, 1
  br label %for.cond, !llvm.loop !17

for.end:                                          ; preds = %for.cond
  call void @llvm.stackrestore(i8* %1)
  ret i32 %s.0
}

; Function Attrs: nofree nosync nounwind willreturn
declare i8* @llvm.stacksave() #4

; Function Attrs: nofree nosync nounwind willreturn
declare void @llvm.stackrestore(i8*) #4

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @conditions(i32 noundef %a, i32 noundef %b) #0 {
entry:
  %tobool = icmp ne i32 %a, 0
  br i1 %tobool, label %land.lhs.true, label %lor.lhs.false

land.lhs.true:                                    ; preds = %entry
  %tobool1 = icmp ne i32 %b, 0
  br i1 %tobool1, label %cond.true, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %land.lhs.true, %entry
  %call = call i32 @c(i32 noundef 1)
  %tobool2 = icmp ne i32 %call, 0
  br i1 %tobool2, label %cond.true, label %cond.false

cond.true:                                        ; preds = %lor.lhs.false, %land.lhs.true
  br label %cond.end

cond.false:                                       ; preds = %lor.lhs.false
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %a, %cond.true ], [ %b, %cond.false ]
  %tobool3 = icmp ne i32 %cond, 0
  br i1 %tobool3, label %cond.true4, label %cond.false7

cond.true4:                                       ; preds = %cond.end
  %tobool5 = icmp ne i32 %a, 0
  %0 = zext i1 %tobool5 to i64
  %cond6 = select i1 %tobool5, i32 1, i32 2
  br label %cond.end8

cond.false7:                                      ; preds = %cond.end
  br label %cond.end8

cond.end8:                                        ; preds = %cond.false7, %cond.true4
  %cond9 = phi i32 [ %cond6, %cond.true4 ], [ 3, %cond.false7 ]
  ret i32 %cond9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @swap_in_loop(i32 noundef %a, i32 noundef %b, i32 noundef %n) #0 {
entry:
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %n.addr.0 = phi i32 [ %n, %entry ], [ %dec, %while.body ]
  %b.addr.0 = phi i32 [ %b, %entry ], [ %a.addr.0, %while.body ]
  %a.addr.0 = phi i32 [ %a, %entry ], [ %b.addr.0, %while.body ]
  %dec = add nsw i32 %n.addr.0, -1
  %tobool = icmp ne i32 %n.addr.0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  br label %while.cond, !llvm.loop !18

while.end:                                        ; preds = %while.cond
  %sub = sub nsw i32 %a.addr.0, %b.addr.0
  ret i32 %sub
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
