; ModuleID = 'hard.c'
source_filename = "hard.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i32 }

@computed.t = internal global [3 x i8*] [i8* blockaddress(@computed, %a), i8* blockaddress(@computed, %b), i8* blockaddress(@computed, %d)], align 16

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @one_block(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %add = add nsw i32 %0, 1
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @endless(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.cond, %entry
  %0 = load i32, i32* %x.addr, align 4
  %call = call i32 @c(i32 noundef %0)
  store i32 %call, i32* %x.addr, align 4
  br label %for.cond
}

declare i32 @c(i32 noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_endless(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  br label %for.cond

for.cond:                                         ; preds = %if.end, %if.then
  %1 = load i32, i32* %x.addr, align 4
  %call = call i32 @c(i32 noundef %1)
  store i32 %call, i32* %x.addr, align 4
  %2 = load i32, i32* %x.addr, align 4
  %cmp = icmp eq i32 %2, 3
  br i1 %cmp, label %if.then1, label %if.end

if.then1:                                         ; preds = %for.cond
  %3 = load i32, i32* %x.addr, align 4
  %inc = add nsw i32 %3, 1
  store i32 %inc, i32* %x.addr, align 4
  br label %if.end

if.end:                                           ; preds = %if.then1, %for.cond
  br label %for.cond

if.else:                                          ; preds = %entry
  br label %while.body

while.body:                                       ; preds = %if.else, %if.end6
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
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  br label %while.cond

while.cond:                                       ; preds = %if.end, %entry
  %0 = load i32, i32* %x.addr, align 4
  %dec = add nsw i32 %0, -1
  store i32 %dec, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %1 = load i32, i32* %x.addr, align 4
  %call = call i32 @c(i32 noundef %1)
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
  %2 = load i32, i32* %x.addr, align 4
  ret i32 %2
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @self_loop(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  br label %l

l:                                                ; preds = %l, %entry
  br label %l
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @nested_endless(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  br label %for.cond

for.cond:                                         ; preds = %do.end, %entry
  br label %while.cond

while.cond:                                       ; preds = %if.end, %for.cond
  %0 = load i32, i32* %x.addr, align 4
  %call = call i32 @c(i32 noundef %0)
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
  %1 = load i32, i32* %x.addr, align 4
  %inc = add nsw i32 %1, 1
  store i32 %inc, i32* %x.addr, align 4
  br label %do.cond

do.cond:                                          ; preds = %do.body
  %2 = load i32, i32* %x.addr, align 4
  %call3 = call i32 @c(i32 noundef %2)
  %tobool4 = icmp ne i32 %call3, 0
  br i1 %tobool4, label %do.body, label %do.end, !llvm.loop !8

do.end:                                           ; preds = %do.cond
  br label %for.cond
}

; Function Attrs: noinline nounwind uwtable
define dso_local void @no_return(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
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
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  switch i32 %0, label %sw.default [
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

while.body:                                       ; preds = %sw.default, %if.end
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
  %retval = alloca i32, align 4
  %x.addr = alloca i32, align 4
  %y.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  store i32 %y, i32* %y.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  br label %b

if.end:                                           ; preds = %entry
  br label %a

a:                                                ; preds = %if.then5, %if.end
  %1 = load i32, i32* %y.addr, align 4
  %call = call i32 @c(i32 noundef %1)
  store i32 %call, i32* %y.addr, align 4
  %2 = load i32, i32* %y.addr, align 4
  %cmp = icmp eq i32 %2, 4
  br i1 %cmp, label %if.then1, label %if.end2

if.then1:                                         ; preds = %a
  %3 = load i32, i32* %y.addr, align 4
  store i32 %3, i32* %retval, align 4
  br label %return

if.end2:                                          ; preds = %a
  br label %b

b:                                                ; preds = %if.end2, %if.then
  %4 = load i32, i32* %y.addr, align 4
  %add = add nsw i32 %4, 1
  %call3 = call i32 @c(i32 noundef %add)
  store i32 %call3, i32* %y.addr, align 4
  %5 = load i32, i32* %y.addr, align 4
  %cmp4 = icmp eq i32 %5, 5
  br i1 %cmp4, label %if.then5, label %if.end6

if.then5:                                         ; preds = %b
  br label %a

if.end6:                                          ; preds = %b
  %6 = load i32, i32* %x.addr, align 4
  %7 = load i32, i32* %y.addr, align 4
  %add7 = add nsw i32 %6, %7
  store i32 %add7, i32* %retval, align 4
  br label %return

return:                                           ; preds = %if.end6, %if.then1
  %8 = load i32, i32* %retval, align 4
  ret i32 %8
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @duff(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  store i32 0, i32* %i, align 4
  %0 = load i32, i32* %n.addr, align 4
  %and = and i32 %0, 3
  switch i32 %and, label %sw.epilog [
    i32 0, label %sw.bb
    i32 1, label %sw.bb1
    i32 2, label %sw.bb3
    i32 3, label %sw.bb7
  ]

sw.bb:                                            ; preds = %entry
  br label %do.body

do.body:                                          ; preds = %do.cond, %sw.bb
  %1 = load i32, i32* %i, align 4
  %call = call i32 @c(i32 noundef %1)
  store i32 %call, i32* %i, align 4
  br label %sw.bb1

sw.bb1:                                           ; preds = %entry, %do.body
  %2 = load i32, i32* %i, align 4
  %add = add nsw i32 %2, 1
  %call2 = call i32 @c(i32 noundef %add)
  store i32 %call2, i32* %i, align 4
  br label %sw.bb3

sw.bb3:                                           ; preds = %entry, %sw.bb1
  %3 = load i32, i32* %i, align 4
  %add4 = add nsw i32 %3, 2
  %call5 = call i32 @c(i32 noundef %add4)
  store i32 %call5, i32* %i, align 4
  br label %while.cond

while.cond:                                       ; preds = %if.end, %sw.bb3
  %4 = load i32, i32* %i, align 4
  %call6 = call i32 @c(i32 noundef %4)
  %tobool = icmp ne i32 %call6, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %5 = load i32, i32* %i, align 4
  %inc = add nsw i32 %5, 1
  store i32 %inc, i32* %i, align 4
  %6 = load i32, i32* %i, align 4
  %cmp = icmp eq i32 %6, 9
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %while.body
  br label %out

if.end:                                           ; preds = %while.body
  br label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %while.cond
  br label %sw.bb7

sw.bb7:                                           ; preds = %entry, %while.end
  %7 = load i32, i32* %i, align 4
  %add8 = add nsw i32 %7, 3
  %call9 = call i32 @c(i32 noundef %add8)
  store i32 %call9, i32* %i, align 4
  br label %do.cond

do.cond:                                          ; preds = %sw.bb7
  %8 = load i32, i32* %n.addr, align 4
  %dec = add nsw i32 %8, -1
  store i32 %dec, i32* %n.addr, align 4
  %cmp10 = icmp sgt i32 %dec, 0
  br i1 %cmp10, label %do.body, label %do.end, !llvm.loop !10

do.end:                                           ; preds = %do.cond
  br label %sw.epilog

sw.epilog:                                        ; preds = %do.end, %entry
  br label %out

out:                                              ; preds = %sw.epilog, %if.then
  %9 = load i32, i32* %i, align 4
  ret i32 %9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @natural_in_irreducible(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  %0 = load i32, i32* %n.addr, align 4
  store i32 %0, i32* %i, align 4
  br label %h

h:                                                ; preds = %if.end11, %if.then2, %entry
  %1 = load i32, i32* %i, align 4
  %call = call i32 @c(i32 noundef %1)
  store i32 %call, i32* %i, align 4
  %2 = load i32, i32* %i, align 4
  %cmp = icmp eq i32 %2, 1
  br i1 %cmp, label %if.then, label %if.end

if.then:                                          ; preds = %h
  br label %in

if.end:                                           ; preds = %h
  br label %l

l:                                                ; preds = %if.then10, %if.end
  %3 = load i32, i32* %i, align 4
  %call1 = call i32 @c(i32 noundef %3)
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
  %4 = load i32, i32* %i, align 4
  %add = add nsw i32 %4, 2
  store i32 %add, i32* %i, align 4
  %5 = load i32, i32* %i, align 4
  %call8 = call i32 @c(i32 noundef %5)
  %cmp9 = icmp eq i32 %call8, 3
  br i1 %cmp9, label %if.then10, label %if.end11

if.then10:                                        ; preds = %in
  br label %l

if.end11:                                         ; preds = %in
  br label %h

done:                                             ; preds = %if.then6
  %6 = load i32, i32* %i, align 4
  ret i32 %6
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @two_kinds_of_latches(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  %0 = load i32, i32* %n.addr, align 4
  store i32 %0, i32* %i, align 4
  %call = call i32 @c(i32 noundef 0)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  br label %in

if.end:                                           ; preds = %entry
  br label %h

h:                                                ; preds = %in, %if.then2, %if.end
  %1 = load i32, i32* %i, align 4
  %call1 = call i32 @c(i32 noundef %1)
  store i32 %call1, i32* %i, align 4
  %2 = load i32, i32* %i, align 4
  %cmp = icmp eq i32 %2, 1
  br i1 %cmp, label %if.then2, label %if.end3

if.then2:                                         ; preds = %h
  br label %h

if.end3:                                          ; preds = %h
  %3 = load i32, i32* %i, align 4
  %call4 = call i32 @c(i32 noundef %3)
  %tobool5 = icmp ne i32 %call4, 0
  br i1 %tobool5, label %if.then6, label %if.end7

if.then6:                                         ; preds = %if.end3
  br label %done

if.end7:                                          ; preds = %if.end3
  br label %in

in:                                               ; preds = %if.end7, %if.then
  %4 = load i32, i32* %i, align 4
  %add = add nsw i32 %4, 2
  store i32 %add, i32* %i, align 4
  br label %h

done:                                             ; preds = %if.then6
  %5 = load i32, i32* %i, align 4
  ret i32 %5
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @computed(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  %r = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  store i32 0, i32* %r, align 4
  %0 = load i32, i32* %n.addr, align 4
  %rem = srem i32 %0, 3
  %idxprom = sext i32 %rem to i64
  %arrayidx = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %idxprom
  %1 = load i8*, i8** %arrayidx, align 8
  br label %indirectgoto

a:                                                ; preds = %indirectgoto
  %2 = load i32, i32* %r, align 4
  %add = add nsw i32 %2, 1
  store i32 %add, i32* %r, align 4
  %3 = load i32, i32* %r, align 4
  %call = call i32 @c(i32 noundef %3)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %a
  %4 = load i32, i32* %r, align 4
  %rem1 = srem i32 %4, 3
  %idxprom2 = sext i32 %rem1 to i64
  %arrayidx3 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %idxprom2
  %5 = load i8*, i8** %arrayidx3, align 8
  br label %indirectgoto

if.end:                                           ; preds = %a
  br label %b

b:                                                ; preds = %if.end, %indirectgoto
  %6 = load i32, i32* %r, align 4
  %add4 = add nsw i32 %6, 2
  store i32 %add4, i32* %r, align 4
  %7 = load i32, i32* %r, align 4
  %rem5 = srem i32 %7, 3
  %idxprom6 = sext i32 %rem5 to i64
  %arrayidx7 = getelementptr inbounds [3 x i8*], [3 x i8*]* @computed.t, i64 0, i64 %idxprom6
  %8 = load i8*, i8** %arrayidx7, align 8
  br label %indirectgoto

d:                                                ; preds = %indirectgoto
  %9 = load i32, i32* %r, align 4
  ret i32 %9

indirectgoto:                                     ; preds = %b, %if.then, %entry
  %indirect.goto.dest = phi i8* [ %1, %entry ], [ %5, %if.then ], [ %8, %b ]
  indirectbr i8* %indirect.goto.dest, [label %a, label %b, label %d]
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @assembly(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  callbr void asm sideeffect "nop ; label %x", "r,i,i,~{dirflag},~{fpsr},~{flags}"(i32 %0, i8* blockaddress(@assembly, %l1), i8* blockaddress(@assembly, %l2)) #6
          to label %asm.fallthrough [label %l1, label %l2], !srcloc !11

asm.fallthrough:                                  ; preds = %entry
  store i32 1, i32* %x.addr, align 4
  br label %l1

l1:                                               ; preds = %asm.fallthrough, %entry
  %1 = load i32, i32* %x.addr, align 4
  %inc = add nsw i32 %1, 1
  store i32 %inc, i32* %x.addr, align 4
  br label %l2

l2:                                               ; preds = %l1, %entry
  %2 = load i32, i32* %x.addr, align 4
  ret i32 %2
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @undefined_uses(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  %z = alloca i32, align 4
  %i = alloca i32, align 4
  %w = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %entry
  store i32 3, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %entry
  store i32 0, i32* %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end
  %1 = load i32, i32* %i, align 4
  %2 = load i32, i32* %x.addr, align 4
  %cmp = icmp slt i32 %1, %2
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %3 = load i32, i32* %i, align 4
  %tobool1 = icmp ne i32 %3, 0
  br i1 %tobool1, label %if.then2, label %if.end3

if.then2:                                         ; preds = %for.body
  %4 = load i32, i32* %w, align 4
  %call = call i32 @c(i32 noundef %4)
  store i32 %call, i32* %w, align 4
  br label %if.end3

if.end3:                                          ; preds = %if.then2, %for.body
  %5 = load i32, i32* %w, align 4
  store i32 %5, i32* %z, align 4
  br label %for.inc

for.inc:                                          ; preds = %if.end3
  %6 = load i32, i32* %i, align 4
  %inc = add nsw i32 %6, 1
  store i32 %inc, i32* %i, align 4
  br label %for.cond, !llvm.loop !12

for.end:                                          ; preds = %for.cond
  %7 = load i32, i32* %y, align 4
  %8 = load i32, i32* %z, align 4
  %add = add nsw i32 %7, %8
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_constant(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  store i32 3, i32* %y, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  store i32 3, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %1 = load i32, i32* %y, align 4
  ret i32 %1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @same_value(i32 noundef %a) #0 {
entry:
  %a.addr = alloca i32, align 4
  %x = alloca i32, align 4
  %y = alloca i32, align 4
  store i32 %a, i32* %a.addr, align 4
  %0 = load i32, i32* %a.addr, align 4
  store i32 %0, i32* %x, align 4
  %call = call i32 @c(i32 noundef 1)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %1 = load i32, i32* %x, align 4
  store i32 %1, i32* %y, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  %2 = load i32, i32* %x, align 4
  store i32 %2, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %3 = load i32, i32* %y, align 4
  ret i32 %3
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @address(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  store i32 3, i32* %y, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  store i32 4, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  call void @use(i32* noundef %y)
  %1 = load i32, i32* %y, align 4
  ret i32 %1
}

declare void @use(i32* noundef) #1

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @is_volatile(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  store i32 %x, i32* %x.addr, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  store volatile i32 3, i32* %y, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  store volatile i32 4, i32* %y, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %1 = load volatile i32, i32* %y, align 4
  ret i32 %1
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_pointer(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  %p = alloca i32*, align 8
  store i32 %x, i32* %x.addr, align 4
  store i32 0, i32* %y, align 4
  store i32* %y, i32** %p, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load i32*, i32** %p, align 8
  %1 = load i32, i32* %0, align 4
  %call = call i32 @c(i32 noundef %1)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %2 = load i32, i32* %x.addr, align 4
  %3 = load i32*, i32** %p, align 8
  %4 = load i32, i32* %3, align 4
  %add = add nsw i32 %4, %2
  store i32 %add, i32* %3, align 4
  br label %while.cond, !llvm.loop !13

while.end:                                        ; preds = %while.cond
  %5 = load i32, i32* %y, align 4
  ret i32 %5
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @through_two(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  %z = alloca i32, align 4
  %p = alloca i32*, align 8
  store i32 %x, i32* %x.addr, align 4
  store i32 0, i32* %y, align 4
  store i32 1, i32* %z, align 4
  %0 = load i32, i32* %x.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  store i32* %y, i32** %p, align 8
  br label %if.end

if.else:                                          ; preds = %entry
  store i32* %z, i32** %p, align 8
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %1 = load i32*, i32** %p, align 8
  store i32 4, i32* %1, align 4
  %2 = load i32, i32* %y, align 4
  %3 = load i32, i32* %z, align 4
  %add = add nsw i32 %2, %3
  ret i32 %add
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @three_deep(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  %p = alloca i32*, align 8
  %q = alloca i32**, align 8
  store i32 %x, i32* %x.addr, align 4
  store i32 0, i32* %y, align 4
  store i32* %y, i32** %p, align 8
  store i32** %p, i32*** %q, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load i32**, i32*** %q, align 8
  %1 = load i32*, i32** %0, align 8
  %2 = load i32, i32* %1, align 4
  %call = call i32 @c(i32 noundef %2)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %3 = load i32, i32* %x.addr, align 4
  %4 = load i32**, i32*** %q, align 8
  %5 = load i32*, i32** %4, align 8
  %6 = load i32, i32* %5, align 4
  %add = add nsw i32 %6, %3
  store i32 %add, i32* %5, align 4
  %7 = load i32*, i32** %p, align 8
  %8 = load i32, i32* %7, align 4
  %sub = sub nsw i32 %8, 1
  store i32 %sub, i32* %7, align 4
  br label %while.cond, !llvm.loop !14

while.end:                                        ; preds = %while.cond
  %9 = load i32, i32* %y, align 4
  ret i32 %9
}

; Function Attrs: noinline nounwind uwtable
define dso_local i64 @whole(i64 noundef %s, i32 noundef %n) #0 {
entry:
  %s.addr = alloca i64, align 8
  %n.addr = alloca i32, align 4
  %t = alloca i64, align 8
  store i64 %s, i64* %s.addr, align 8
  store i32 %n, i32* %n.addr, align 4
  %0 = load i64, i64* %s.addr, align 8
  store i64 %0, i64* %t, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %1 = load i32, i32* %n.addr, align 4
  %dec = add nsw i32 %1, -1
  store i32 %dec, i32* %n.addr, align 4
  %tobool = icmp ne i32 %1, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %2 = load i32, i32* %n.addr, align 4
  %conv = sext i32 %2 to i64
  %3 = load i64, i64* %t, align 8
  %add = add nsw i64 %3, %conv
  store i64 %add, i64* %t, align 8
  %4 = load i64, i64* %t, align 8
  store i64 %4, i64* %s.addr, align 8
  br label %while.cond, !llvm.loop !15

while.end:                                        ; preds = %while.cond
  %5 = load i64, i64* %s.addr, align 8
  ret i64 %5
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @members(i64 %s.coerce, i32 noundef %n) #0 {
entry:
  %s = alloca %struct.pair, align 4
  %n.addr = alloca i32, align 4
  %t = alloca %struct.pair, align 4
  %0 = bitcast %struct.pair* %s to i64*
  store i64 %s.coerce, i64* %0, align 4
  store i32 %n, i32* %n.addr, align 4
  %1 = bitcast %struct.pair* %t to i8*
  %2 = bitcast %struct.pair* %s to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %1, i8* align 4 %2, i64 8, i1 false)
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %3 = load i32, i32* %n.addr, align 4
  %dec = add nsw i32 %3, -1
  store i32 %dec, i32* %n.addr, align 4
  %tobool = icmp ne i32 %3, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %4 = load i32, i32* %n.addr, align 4
  %a = getelementptr inbounds %struct.pair, %struct.pair* %t, i32 0, i32 0
  %5 = load i32, i32* %a, align 4
  %add = add nsw i32 %5, %4
  store i32 %add, i32* %a, align 4
  %6 = bitcast %struct.pair* %s to i8*
  %7 = bitcast %struct.pair* %t to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %6, i8* align 4 %7, i64 8, i1 false)
  br label %while.cond, !llvm.loop !16

while.end:                                        ; preds = %while.cond
  %a1 = getelementptr inbounds %struct.pair, %struct.pair* %s, i32 0, i32 0
  %8 = load i32, i32* %a1, align 4
  ret i32 %8
}

; Function Attrs: argmemonly nofree nounwind willreturn
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg) #3

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @variable_length(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  %saved_stack = alloca i8*, align 8
  %__vla_expr0 = alloca i64, align 8
  %s = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  %0 = load i32, i32* %n.addr, align 4
  %1 = zext i32 %0 to i64
  %2 = call i8* @llvm.stacksave()
  store i8* %2, i8** %saved_stack, align 8
  %vla = alloca i32, i64 %1, align 16
  store i64 %1, i64* %__vla_expr0, align 8
  store i32 0, i32* %s, align 4
  store i32 0, i32* %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %3 = load i32, i32* %i, align 4
  %4 = load i32, i32* %n.addr, align 4
  %cmp = icmp slt i32 %3, %4
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %5 = load i32, i32* %i, align 4
  %idxprom = sext i32 %5 to i64
  %arrayidx = getelementptr inbounds i32, i32* %vla, i64 %idxprom
  %6 = load i32, i32* %arrayidx, align 4
  %7 = load i32, i32* %s, align 4
  %add = add nsw i32 %7, %6
  store i32 %add, i32* %s, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %8 = load i32, i32* %i, align 4
  %inc = add nsw i32 %8, 1
  store i32 %inc, i32* %i, align 4
  br label %for.cond, !llvm.loop !17

for.end:                                          ; preds = %for.cond
  %9 = load i32, i32* %s, align 4
  %10 = load i8*, i8** %saved_stack, align 8
  call void @llvm.stackrestore(i8* %10)
  ret i32 %9
}

; Function Attrs: nofree nosync nounwind willreturn
declare i8* @llvm.stacksave() #4

; Function Attrs: nofree nosync nounwind willreturn
declare void @llvm.stackrestore(i8*) #4

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @conditions(i32 noundef %a, i32 noundef %b) #0 {
entry:
  %a.addr = alloca i32, align 4
  %b.addr = alloca i32, align 4
  %r = alloca i32, align 4
  store i32 %a, i32* %a.addr, align 4
  store i32 %b, i32* %b.addr, align 4
  %0 = load i32, i32* %a.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %land.lhs.true, label %lor.lhs.false

land.lhs.true:                                    ; preds = %entry
  %1 = load i32, i32* %b.addr, align 4
  %tobool1 = icmp ne i32 %1, 0
  br i1 %tobool1, label %cond.true, label %lor.lhs.false

lor.lhs.false:                                    ; preds = %land.lhs.true, %entry
  %call = call i32 @c(i32 noundef 1)
  %tobool2 = icmp ne i32 %call, 0
  br i1 %tobool2, label %cond.true, label %cond.false

cond.true:                                        ; preds = %lor.lhs.false, %land.lhs.true
  %2 = load i32, i32* %a.addr, align 4
  br label %cond.end

cond.false:                                       ; preds = %lor.lhs.false
  %3 = load i32, i32* %b.addr, align 4
  br label %cond.end

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i32 [ %2, %cond.true ], [ %3, %cond.false ]
  store i32 %cond, i32* %r, align 4
  %4 = load i32, i32* %r, align 4
  %tobool3 = icmp ne i32 %4, 0
  br i1 %tobool3, label %cond.true4, label %cond.false7

cond.true4:                                       ; preds = %cond.end
  %5 = load i32, i32* %a.addr, align 4
  %tobool5 = icmp ne i32 %5, 0
  %6 = zext i1 %tobool5 to i64
  %cond6 = select i1 %tobool5, i32 1, i32 2
  br label %cond.end8

cond.false7:                                      ; preds = %cond.end
  br label %cond.end8

cond.end8:                                        ; preds = %cond.false7, %cond.true4
  %cond9 = phi i32 [ %cond6, %cond.true4 ], [ 3, %cond.false7 ]
  store i32 %cond9, i32* %r, align 4
  %7 = load i32, i32* %r, align 4
  ret i32 %7
}

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @swap_in_loop(i32 noundef %a, i32 noundef %b, i32 noundef %n) #0 {
entry:
  %a.addr = alloca i32, align 4
  %b.addr = alloca i32, align 4
  %n.addr = alloca i32, align 4
  %t = alloca i32, align 4
  store i32 %a, i32* %a.addr, align 4
  store i32 %b, i32* %b.addr, align 4
  store i32 %n, i32* %n.addr, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load i32, i32* %n.addr, align 4
  %dec = add nsw i32 %0, -1
  store i32 %dec, i32* %n.addr, align 4
  %tobool = icmp ne i32 %0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %1 = load i32, i32* %a.addr, align 4
  store i32 %1, i32* %t, align 4
  %2 = load i32, i32* %b.addr, align 4
  store i32 %2, i32* %a.addr, align 4
  %3 = load i32, i32* %t, align 4
  store i32 %3, i32* %b.addr, align 4
  br label %while.cond, !llvm.loop !18

while.end:                                        ; preds = %while.cond
  %4 = load i32, i32* %a.addr, align 4
  %5 = load i32, i32* %b.addr, align 4
  %sub = sub nsw i32 %4, %5
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
