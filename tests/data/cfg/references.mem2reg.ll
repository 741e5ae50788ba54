; ModuleID = 'references.ll'
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
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %y.0 = phi i32 [ 0, %entry ], [ %add, %while.body ]
  %call = call noundef i32 @_Z1ci(i32 noundef %y.0)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %add = add nsw i32 %y.0, %x
  br label %while.cond, !llvm.loop !5

while.end:                                        ; preds = %while.cond
  %add1 = add nsw i32 %y.0, %y.0
  ret i32 %add1
}

declare noundef i32 @_Z1ci(i32 noundef) #1

; Function Attrs: mustprogress noinline uwtable
define dso_local noundef i32 @_Z7in_loopi(i32 noundef %n) #0 {
entry:
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %y.0 = phi i32 [ 0, %entry ], [ %y.1, %for.inc ]
  %i.0 = phi i32 [ 0, %entry ], [ %inc1, %for.inc ]
  %cmp = icmp slt i32 %i.0, %n
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %add = add nsw i32 %y.0, %i.0
  %call = call noundef i32 @_Z1ci(i32 noundef %add)
  %tobool = icmp ne i32 %call, 0
  br i1 %tobool, label %if.then, label %if.end

if.then:                                          ; preds = %for.body
  %inc = add nsw i32 %add, 1
  br label %if.end

if.end:                                           ; preds = %if.then, %for.body
  %y.1 = phi i32 [ %inc, %if.then ], [ %add, %for.body ]
  br label %for.inc

for.inc:                                          ; preds = %if.end
  %inc1 = add nsw i32 %i.0, 1
  br label %for.cond, !llvm.loop !7

for.end:                                          ; preds = %for.cond
  ret i32 %y.0
}

; Function Attrs: mustprogress noinline uwtable
define dso_local noundef i32 @_Z7cleanupi(i32 noundef %n) #0 personality i8* bitcast (i32 (...)* @__gxx_personality_v0 to i8*) {
entry:
  %a = alloca %struct.guard, align 4
  %b = alloca %struct.guard, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %i.0 = phi i32 [ 0, %entry ], [ %inc, %for.inc ]
  %s.0 = phi i32 [ 0, %entry ], [ %s.2, %for.inc ]
  %cmp = icmp slt i32 %i.0, %n
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %call = invoke noundef i32 @_Z1ci(i32 noundef %i.0)
          to label %invoke.cont unwind label %lpad

invoke.cont:                                      ; preds = %for.body
  %add = add nsw i32 %s.0, %call
  %cmp1 = icmp sgt i32 %add, 100
  br i1 %cmp1, label %if.then, label %if.end

if.then:                                          ; preds = %invoke.cont
  %exception = call i8* @__cxa_allocate_exception(i64 4) #5
  %0 = bitcast i8* %exception to i32*
  store i32 %add, i32* %0, align 16
  invoke void @__cxa_throw(i8* %exception, i8* bitcast (i8** @_ZTIi to i8*), i8* null) #6
          to label %unreachable unwind label %lpad

lpad:                                             ; preds = %if.then, %for.body
  %s.1 = phi i32 [ %add, %if.then ], [ %s.0, %for.body ]
  %1 = landingpad { i8*, i32 }
          cleanup
          catch i8* bitcast (i8** @_ZTIi to i8*)
          catch i8* bitcast ({ i8*, i8* }* @_ZTI5guard to i8*)
  %2 = extractvalue { i8*, i32 } %1, 0
  %3 = extractvalue { i8*, i32 } %1, 1
  br label %catch.dispatch

catch.dispatch:                                   ; preds = %lpad
  %4 = call i32 @llvm.eh.typeid.for(i8* bitcast (i8** @_ZTIi to i8*)) #5
  %matches = icmp eq i32 %3, %4
  br i1 %matches, label %catch6, label %catch.fallthrough

catch6:                                           ; preds = %catch.dispatch
  %5 = call i8* @__cxa_begin_catch(i8* %2) #5
  %exn.byref8 = bitcast i8* %5 to i32*
  %6 = load i32, i32* %exn.byref8, align 4
  call void @__cxa_end_catch() #5
  br label %try.cont

try.cont:                                         ; preds = %if.end, %invoke.cont5, %catch6
  %s.2 = phi i32 [ %6, %catch6 ], [ %add3, %invoke.cont5 ], [ %add, %if.end ]
  %cmp9 = icmp eq i32 %s.2, 4
  br i1 %cmp9, label %if.then10, label %if.end11

if.then10:                                        ; preds = %try.cont
  br label %cleanup

catch.fallthrough:                                ; preds = %catch.dispatch
  %7 = call i32 @llvm.eh.typeid.for(i8* bitcast ({ i8*, i8* }* @_ZTI5guard to i8*)) #5
  %matches2 = icmp eq i32 %3, %7
  br i1 %matches2, label %catch, label %ehcleanup

catch:                                            ; preds = %catch.fallthrough
  %8 = call i8* @__cxa_begin_catch(i8* %2) #5
  %exn.byref = bitcast i8* %8 to %struct.guard*
  %v = getelementptr inbounds %struct.guard, %struct.guard* %exn.byref, i32 0, i32 0
  %9 = load i32, i32* %v, align 4
  %add3 = add nsw i32 %s.1, %9
  invoke void @__cxa_end_catch()
          to label %invoke.cont5 unwind label %lpad4

invoke.cont5:                                     ; preds = %catch
  br label %try.cont

if.end:                                           ; preds = %invoke.cont
  br label %try.cont

lpad4:                                            ; preds = %catch
  %10 = landingpad { i8*, i32 }
          cleanup
  %11 = extractvalue { i8*, i32 } %10, 0
  %12 = extractvalue { i8*, i32 } %10, 1
  br label %ehcleanup

if.end11:                                         ; preds = %try.cont
  br label %cleanup

cleanup:                                          ; preds = %if.end11, %if.then10
  %cleanup.dest.slot.0 = phi i32 [ 2, %if.then10 ], [ 0, %if.end11 ]
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %b) #5
  switch i32 %cleanup.dest.slot.0, label %unreachable [
    i32 0, label %cleanup.cont
    i32 2, label %for.end
  ]

cleanup.cont:                                     ; preds = %cleanup
  br label %for.inc

for.inc:                                          ; preds = %cleanup.cont
  %inc = add nsw i32 %i.0, 1
  br label %for.cond, !llvm.loop !8

ehcleanup:                                        ; preds = %lpad4, %catch.fallthrough
  %ehselector.slot.0 = phi i32 [ %12, %lpad4 ], [ %3, %catch.fallthrough ]
  %exn.slot.0 = phi i8* [ %11, %lpad4 ], [ %2, %catch.fallthrough ]
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %b) #5
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %a) #5
  br label %eh.resume

for.end:                                          ; preds = %cleanup, %for.cond
  %s.3 = phi i32 [ %s.2, %cleanup ], [ %s.0, %for.cond ]
  call void @_ZN5guardD1Ev(%struct.guard* noundef nonnull align 4 dereferenceable(4) %a) #5
  ret i32 %s.3

eh.resume:                                        ; preds = %ehcleanup
  %lpad.val = insertvalue { i8*, i32 } undef, i8* %exn.slot.0, 0
  %lpad.val16 = insertvalue { i8*, i32 } %lpad.val, i32 %ehselector.slot.0, 1
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
  %m = alloca i32, align 4
  %agg.tmp = alloca %class.anon, align 8
  store i32 %k, i32* %k.addr, align 4
  store i32 0, i32* %m, align 4
  %0 = getelementptr inbounds %class.anon, %class.anon* %agg.tmp, i32 0, i32 0
  store i32* %k.addr, i32** %0, align 8
  %1 = getelementptr inbounds %class.anon, %class.anon* %agg.tmp, i32 0, i32 1
  store i32* %m, i32** %1, align 8
  %2 = bitcast %class.anon* %agg.tmp to { i32*, i32* }*
  %3 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %2, i32 0, i32 0
  %4 = load i32*, i32** %3, align 8
  %5 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %2, i32 0, i32 1
  %6 = load i32*, i32** %5, align 8
  %call = call noundef i32 @"_Z6repeatIZ7lambdasiiE3$_0EiiT_"(i32 noundef %n, i32* %4, i32* %6)
  ret i32 %call
}

; Function Attrs: mustprogress noinline uwtable
define internal noundef i32 @"_Z6repeatIZ7lambdasiiE3$_0EiiT_"(i32 noundef %n, i32* %f.coerce0, i32* %f.coerce1) #0 {
entry:
  %f = alloca %class.anon, align 8
  %0 = bitcast %class.anon* %f to { i32*, i32* }*
  %1 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %0, i32 0, i32 0
  store i32* %f.coerce0, i32** %1, align 8
  %2 = getelementptr inbounds { i32*, i32* }, { i32*, i32* }* %0, i32 0, i32 1
  store i32* %f.coerce1, i32** %2, align 8
  br label %while.cond

while.cond:                                       ; preds = %while.body, %entry
  %s.0 = phi i32 [ 0, %entry ], [ %call, %while.body ]
  %n.addr.0 = phi i32 [ %n, %entry ], [ %dec, %while.body ]
  %dec = add nsw i32 %n.addr.0, -1
  %tobool = icmp ne i32 %n.addr.0, 0
  br i1 %tobool, label %while.body, label %while.end

while.body:                                       ; preds = %while.cond
  %call = call noundef i32 @"_ZZ7lambdasiiENK3$_0clEi"(%class.anon* noundef nonnull align 8 dereferenceable(16) %f, i32 noundef %s.0)
  br label %while.cond, !llvm.loop !9

while.end:                                        ; preds = %while.cond
  ret i32 %s.0
}

; Function Attrs: mustprogress noinline nounwind uwtable
define internal noundef i32 @"_ZZ7lambdasiiENK3$_0clEi"(%class.anon* noundef nonnull align 8 dereferenceable(16) %this, i32 noundef %z) #4 align 2 {
entry:
  %0 = getelementptr inbounds %class.anon, %class.anon* %this, i32 0, i32 0
  %1 = load i32*, i32** %0, align 8
  %2 = load i32, i32* %1, align 4
  %cmp = icmp sgt i32 %z, %2
  br i1 %cmp, label %if.then, label %if.else

if.then:                                          ; preds = %entry
  %3 = getelementptr inbounds %class.anon, %class.anon* %this, i32 0, i32 1
  %4 = load i32*, i32** %3, align 8
  store i32 %z, i32* %4, align 4
  br label %if.end

if.else:                                          ; preds = %entry
  %5 = getelementptr inbounds %class.anon, %class.anon* %this, i32 0, i32 1
  %6 = load i32*, i32** %5, align 8
  %7 = load i32, i32* %6, align 4
  %inc = add nsw i32 %7, 1
  store i32 %inc, i32* %6, align 4
  br label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %8 = getelementptr inbounds %class.anon, %class.anon* %this, i32 0, i32 1
  %9 = load i32*, i32** %8, align 8
  %10 = load i32, i32* %9, align 4
  %add = add nsw i32 %z, %10
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
