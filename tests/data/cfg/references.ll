; ModuleID = 'references.cpp'
source_filename = "references.cpp"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.guard = type { i32 }
%class.anon = type { i32*, i32* }

$_ZTS5guard = comdat any

$_ZTI5guard = comdat any

@_ZTIi = external constant i8*
@_ZTVN10__cxxabiv117__class_type_infoE = external global i8*
@_ZTS5guard = linkonce_odr dso_local constant [7 x i8] c"5guard\00", comdat, align 1
@_ZTI5guard = linkonce_odr dso_local constant { i8*, i8* } { i8* bitcast (i8** getelementptr inbounds (i8*, i8** @_ZTVN10__cxxabiv117__class_type_infoE, i64 2) to i8*), i8* getelementptr inbounds ([7 x i8], [7 x i8]* @_ZTS5guard, i32 0, i32 0) }, comdat, align 8

; Function Attrs: mustprogress noinline uwtable
define dso_local noundef i32 @_Z17through_referencei(i32 noundef %x) #0 {
entry:
  %x.addr = alloca i32, align 4
  %y = alloca i32, align 4
  %r = alloca i32*, align 8
  %q = alloca i32*, align 8
  store i32 %x, i32* %x.addr, align 4
  store i32 0, i32* %y, align 4
  store i32* %y, i32** %r, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %0 = load i32*, i32** %r, align 8
  %1 = load i32, i32* %0, align 4
  %call = call noundef i32 @_Z1ci(i32 noundef %1)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %2 = load i32, i32* %x.addr, align 4
  %3 = load i32*, i32** %r, align 8
  %4 = load i32, i32* %3, align 4
  %add = add nsw i32 %4, %2
  store i32 %add, i32* %3, align 4
  br label %while.cond, !llvm.loop !5

while.end:                                        ; preds = %while.cond
  %5 = load i32*, i32** %r, align 8
  store i32* %5, i32** %q, align 8
  %6 = load i32*, i32** %q, align 8
  %7 = load i32, i32* %6, align 4
  %8 = load i32, i32* %y, align 4
  %add1 = add nsw i32 %7, %8
  ret i32 %add1
}

declare noundef i32 @_Z1ci(i32 noundef) #1

; Function Attrs: mustprogress noinline uwtable
define dso_local noundef i32 @_Z7in_loopi(i32 noundef %n) #0 {
entry:
  %n.addr = alloca i32, align 4
  %y = alloca i32, align 4
  %i = alloca i32, align 4
  %r = alloca i32*, align 8
  %k = alloca i32*, align 8
  store i32 %n, i32* %n.addr, align 4
  store i32 0, i32* %y, align 4
  store i32 0, i32* %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, i32* %i, align 4
  %1 = load i32, i32* %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  store i32* %y, i32** %r, align 8
  %2 = load i32, i32* %i, align 4
  %3 = load i32*, i32** %r, align 8
  %4 = load i32, i32* %3, align 4
  %add = add nsw i32 %4, %2
  store i32 %add, i32* %3, align 4
  %5 = load i32*, i32** %r, align 8
  %6 = load i32, i32* %5, align 4
  %call = call noundef i32 @_Z1ci(i32 noundef %6)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %7 = load i32*, i32** %r, align 8
  store i32* %7, i32** %k, align 8
  %8 = load i32*, i32** %k, align 8
  %9 = load i32, i32* %8, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, i32* %8, align 4
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %10 = load i32, i32* %i, align 4
  %inc1 = add nsw i32 %10, 1
  store i32 %inc1, i32* %i, align 4
  br label %for.cond, !llvm.loop !7

for.end:                                          ; preds = %for.cond
  %11 = load i32, i32* %y, align 4
  ret i32 %11
}

; Function Attrs: mustprogress noinline uwtable
define dso_local noundef i32 @_Z7cleanupi(i32 noundef %n) #0 personality i8* bitcast (i32 (...)* @__gxx_personality_v0 to i8*) {
entry:
  %n.addr = alloca i32, align 4
  %a = alloca %struct.guard, align 4
  %s = alloca i32, align 4
  %i = alloca i32, align 4
  %b = alloca %struct.guard, align 4
  %exn.slot = alloca i8*, align 8
  %ehselector.slot = alloca i32, align 4
  %z = alloca %struct.guard*, align 8
  %e = alloca i32*, align 8
  %cleanup.dest.slot = alloca i32, align 4
  store i32 %n, i32* %n.addr, align 4
  store i32 0, i32* %s, align 4
  store i32 0, i32* %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, i32* %i, align 4
  %1 = load i32, i32* %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %2 = load i32, i32* %i, align 4
  %call = invoke noundef i32 @_Z1ci(i32 noundef %2)
          to label %invoke.cont unwind label %lpad

invoke.cont:                                      ; preds = %for.body
  %3 = load i32, i32* %s, align 4
  %add = add nsw i32 %3, %call
  store i32 %add, i32* %s, align 4
  %4 = load i32, i32* %s, align 4
  %cmp1 = icmp sgt i32 %4, 100
  br i1 %cmp1, label %if.then, label %if.end

if.then:                                          ; preds = %invoke.cont
  %exception = call i8* @__cxa_allocate_exception(i64 4) #5
  %5 = bitcast i8* %exception to i32*
  %6 = load i32, i32* %s, align 4
  store i32 %6, i32* %5, align 16
  invoke void @__cxa_throw(i8* %exception, i8* bitcast (i8** @_ZTIi to i8*), i8* null) #6
          to label %unreachable unwind label %lpad

lpad:                                             ; preds = %if.then, %for.body
  %7 = landingpad { i8*, i32 }
          cleanup
          catch i8* bitcast (i8** @_ZTIi to i8*)
          catch i8* bitcast ({ i8*, i8* }* @_ZTI5guard to i8*)
  %8 = extractvalue { i8*, i32 } %7, 0
  store i8* %8, i8** %exn.slot, align 8
  %9 = extractvalue { i8*, i32 } %7, 1
  store i32 %9, i32* %ehselector.slot, align 4
  br label %catch.dispatch

catch.dispatch:                                   ; preds = %lpad
  %sel = load i32, i32* %ehselector.slot, align 4
  %10 = call i32 @llvm.eh.typeid.for(i8* bitcast (i8** @_ZTIi to i8*)) #5
  %matches = icmp eq i32 %sel, %10
  br i1 %matches, label %catch6, label %catch.fallthrough

catch6:                                           ; preds = %catch.dispatch
  %exn7 = load i8*, i8** %exn.slot, align 8
  %11 = call i8* @__cxa_begin_catch(i8* %exn7) #5
  %exn.byref8 = bitcast i8* %11 to i32*
  store i32* %exn.byref8, i32** %e, align 8
  %12 = load i32*, i32** %e, align 8
  %13 = load i32, i32* %12, align 4
  store i32 %13, i32* %s, align 4
  call void @__cxa_end_catch() #5
  br label %try.cont

try.cont:                                         ; preds = %catch6, %invoke.cont5, %if.end
  %14 = load i32, i32* %s, align 4
  %cmp9 = icmp eq i32 %14, 4
  br i1 %cmp9, label %if.then10, label %if.end11

if.then10:                                        ; preds = %try.cont
  store i32 2, i32* %cleanup.dest.slot, align 4
  br label %cleanup

catch.fallthrough:                                ; preds = %catch.dispatch
  %15 = call i32 @llvm.eh.typeid.for(i8* bitcast ({ i8*, i8* }* @_ZTI5guard to i8*)) #5
  %matches2 = icmp eq i32 %sel, %15
  br i1 %matches2, label %catch, label %ehcleanup

catch:                                            ; preds = %catch.fallthrough
  %exn = load i8*, i8** %exn.slot, align 8
  %16 = call i8* @__cxa_begin_catch(i8* %exn) #5
  %exn.byref = bitcast i8* %16 to %struct.guard*
  store %struct.guard* %exn.byref, %struct.guard** %z, align 8
  %17 = load %struct.guard*, %struct.guard** %z, align 8
  %v = getelementptr inbounds %struct.guard, %struct.guard* %17, i32 0, i32 0
  %18 = load i32, i32* %v, align 4
  %19 = load i32, i32* %s, align 4
  %add3 = add nsw i32 %19, %18
  store i32 %add3, i32* %s, align 4
  invoke void @__cxa_end_catch()
          to label %invoke.cont5 unwind label %lpad4

invoke.cont5:                                     ; preds = %catch
  br label %try.cont

if.end:                                           ; preds = %invoke.cont
  br label %try.cont

lpad4:                                            ; preds = %catch
  %20 = landingpad { i8*, i32 }
          cleanup
  %21 = extractvalue { i8*, i32 } %20, 0
  store i8* %21, i8** %exn.slot, align 8
  %22 = extractvalue { i8*, i32 } %20, 1
  store i32 %22, i32* %ehselector.slot, align 4
  br label %ehcleanup

if.end11:                                         ; preds = %try.cont
  store i32 0, i32* %cleanup.dest.slot, align 4
  br label %cleanup

cleanup:                                          ; preds = %if.end11, %if.then10
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %b) #5
  %cleanup.dest = load i32, i32* %cleanup.dest.slot, align 4
  switch i32 %cleanup.dest, label %unreachable [
    i32 0, label %cleanup.cont
    i32 2, label %for.end
  ]

cleanup.cont:                                     ; preds = %cleanup
  br label %for.inc

for.inc:                                          ; preds = %cleanup.cont
  %23 = load i32, i32* %i, align 4
  %inc = add nsw i32 %23, 1
  store i32 %inc, i32* %i, align 4
  br label %for.cond, !llvm.loop !8

ehcleanup:                                        ; preds = %lpad4, %catch.fallthrough
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %b) #5
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %a) #5
  br label %eh.resume

for.end:                                          ; preds = %cleanup, %for.cond
  %24 = load i32, i32* %s, align 4
  store i32 1, i32* %cleanup.dest.slot, align 4
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %a) #5
  ret i32 %24

eh.resume:                                        ; preds = %ehcleanup
  %exn14 = load i8*, i8** %exn.slot, align 8
  %sel15 = load i32, i32* %ehselector.slot, align 4
  %lpad.val = insertvalue { i8*, i32 } undef, i8* %exn14, 0
  %lpad.val16 = insertvalue { i8*, i32 } %lpad.val, i32 %sel15, 1
  resume { i8*, i32 } %lpad.val16

unreachable:                                      ; preds = %cleanup, %if.then
  unreachable
}

declare i32 @__gxx_personality_v0(...)

declare i8* @__cxa_allocate_exception(i64)

declare void @__cxa_throw(i8*, i8*, i8*)

; Function Attrs: nounwind readnone
declare i32 @llvm.eh.typeid.for(i8*) #2

declare i8* @__cxa_begin_catch(i8*)

declare void @__cxa_end_catch()

; Function Attrs: nounwind
declare void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4)) unnamed_addr #3

; Function Attrs: mustprogress noinline uwtable
define dso_local noundef i32 @_Z7lambdasii(i32 noundef %k, i32 noundef %n) #0 {
entry:
  %k.addr = alloca i32, align 4
  %n.addr = alloca i32, align 4
  %m = alloca i32, align 4
  %agg.tmp = alloca %class.anon, align 8
  store i32 %k, i32* %k.addr, align 4
  store i32 %n, i32* %n.addr, align 4
  store i32 0, i32* %m, align 4
  %0 = load i32, i32* %n.addr, align 4
  %1 = getelementptr inbounds %class.anon, %class.anon* %agg.tmp, i32 0, i32 0
  store i32* %k.addr, i32** %1, align 8
  %2 = getelementptr inbounds %class.anon, %class.anon* %agg.tmp, i32 0, i32 1
  store i32* %m, i32** %2, align 8
  %3 = bitcast %class.anon* %agg.tmp to { i32*, i32* }*
  %4 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %3, i32 0, i32 0
  %5 = load i32*, i32** %4, align 8
  %6 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %3, i32 0, i32 1
  %7 = load i32*, i32** %6, align 8
  %call = call noundef i32 @"_Z6repeatIZ7lambdasiiE3$_0EiiT_"(i32 noundef %0, i32* %5, i32* %7)
  ret i32 %call
}

; Function Attrs: mustprogress noinline uwtable
define internal noundef i32 @"_Z6repeatIZ7lambdasiiE3$_0EiiT_"(i32 noundef %n, i32* %f.coerce0, i32* %f.coerce1) #0 {
entry:
  %f = alloca %class.anon, align 8
  %n.addr = alloca i32, align 4
  %s = alloca i32, align 4
  %0 = bitcast %class.anon* %f to { i32*, i32* }*
  %1 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %0, i32 0, i32 0
  store i32* %f.coerce0, i32** %1, align 8
  %2 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %0, i32 0, i32 1
  store i32* %f.coerce1, i32** %2, align 8
  store i32 %n, i32* %n.addr, align 4
  store i32 0, i32* %s, align 4
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %3 = load i32, i32* %n.addr, align 4
  %dec = add nsw i32 %3, -1
  store i32 %dec, i32* %n.addr, align 4
  %tobool = icmp ne i32 %3, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %4 = load i32, i32* %s, align 4
  %call = call noundef i32 @"_ZZ7lambdasiiENK3$_0clEi"(%class.anon* noundef nonnull align 8 dereferenceable(16) %f, i32 noundef %4)
  store i32 %call, i32* %s, align 4
  br label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %while.cond
  %5 = load i32, i32* %s, align 4
  ret i32 %5
}

; Function Attrs: mustprogress noinline nounwind uwtable
define internal noundef i32 @"_ZZ7lambdasiiENK3$_0clEi"(%class.anon* noundef nonnull align 8 dereferenceable(16) %this, i32 noundef %z) #4 align 2 {
entry:
  %this.addr = alloca %class.anon*, align 8
  %z.addr = alloca i32, align 4
  store %class.anon* %this, %class.anon** %this.addr, align 8
  store i32 %z, i32* %z.addr, align 4
  %this1 = load %class.anon*, %class.anon** %this.addr, align 8
  %0 = load i32, i32* %z.addr, align 4
  %1 = getelementptr inbounds %class.anon, %class.anon* %this1, i32 0, i32 0
  %2 = load i32*, i32** %1, align 8
  %3 = load i32, i32* %2, align 4
  %cmp = icmp sgt i32 %0, %3
  br i1 %cmp, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %4 = load i32, i32* %z.addr, align 4
  %5 = getelementptr inbounds %class.anon, %class.anon* %this1, i32 0, i32 1
  %6 = load i32*, i32** %5, align 8
  store i32 %4, i32* %6, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  %7 = getelementptr inbounds %class.anon, %class.anon* %this1, i32 0, i32 1
  %8 = load i32*, i32** %7, align 8
  %9 = load i32, i32* %8, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, i32* %8, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %10 = load i32, i32* %z.addr, align 4
  %11 = getelementptr inbounds %class.anon, %class.anon* %this1, i32 0, i32 1
  %12 = load i32*, i32** %11, align 8
  %13 = load i32, i32* %12, align 4
  %add = add nsw i32 %10, %13
  ret i32 %add
}

attributes #0 = { mustprogress noinline uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nounwind readnone }
attributes #3 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind }
attributes #6 = { noreturn }

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
