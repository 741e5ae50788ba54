// Diagnostics for adaptations: tells a missing member of a traits class from one with the wrong signature.
//
// PLAIT_DETAIL_MEMBER(traits, what, name, (parameters), (arguments)), in plait::detail, for a member traits<T>::name(T
// const& t, parameters), defines the concepts
//
//   gives_NAME<T>                                  callable, with any return type
//   NAME_is_there_but_not_for_a_const_WHAT<T>      callable with a T& only
//   NAME_is_there_but_with_other_parameters<T>     neither, but a member of that name exists
//   NAME_is_a_function_with_other_parameters<T>    and that is one function: not data, not a template, not a function
//                                                  with unsatisfied constraints
//
// For the library's own traits, which define `adapted_by_members` and forward to members of T, the concepts look into
// T. For a T that satisfies its concept they cost two look-ups in a cache.
#pragma once

#include <type_traits>
#include <utility>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

template <class Traits>
concept by_members = requires { typename Traits::adapted_by_members; };

// False for void and for functions with qualifiers, so that concepts are false for these instead of an error.
template <class T>
concept referable = std::is_reference_v<std::add_lvalue_reference_t<T>>;

// Class that defines the members of an adaptation.
template <class Traits, class T>
using members_of = std::conditional_t<by_members<Traits>, T, Traits>;

template <class T>
concept can_be_base = std::is_class_v<T> && !std::is_final_v<T>;

}  // namespace plait::detail

#define PLAIT_DETAIL_AFTER(...) __VA_OPT__(, ) __VA_ARGS__
#define PLAIT_DETAIL_ONLY(...) __VA_ARGS__

// names_NAME<T>: T has a member of that name, of any kind and access. Detected by inheritance: a second member of the
// same name makes the look-up ambiguous.
// names_function_NAME<T>: it is one function. GCC gives static ones an address even if their constraints do not hold.
#define PLAIT_DETAIL_NAMES(name)                                                                              \
  struct name##_member {                                                                                      \
    int name;                                                                                                 \
  };                                                                                                          \
  template <class T>                                                                                          \
  struct name##_twice : T, name##_member {                                                                    \
    ~name##_twice();                                                                                          \
  };                                                                                                          \
  template <class T>                                                                                          \
  concept names_##name = requires { &T::name; } || (can_be_base<T> && !requires { &name##_twice<T>::name; }); \
  template <class T, class R, class... P>                                                                     \
  constexpr bool calls_##name(R (*)(P...)) {                                                                  \
    return requires { T::name(std::declval<P>()...); };                                                       \
  }                                                                                                           \
  template <class T, class M, class C>                                                                        \
  constexpr bool calls_##name(M C::*) {                                                                       \
    return std::is_function_v<M>;                                                                             \
  }                                                                                                           \
  template <class T>                                                                                          \
  concept names_function_##name = requires { requires calls_##name<T>(&T::name); };

#define PLAIT_DETAIL_MEMBER(traits, what, name, parameters, arguments)                                         \
  PLAIT_DETAIL_NAMES(name)                                                                                     \
  template <class T>                                                                                           \
  concept gives_##name =                                                                                       \
      requires(T const& t PLAIT_DETAIL_AFTER parameters) { traits<T>::name(t PLAIT_DETAIL_AFTER arguments); }; \
  template <class T>                                                                                           \
  concept name##_is_there_but_not_for_a_const_##what =                                                         \
      referable<T> && !gives_##name<T> && (requires(std::remove_const_t<T>& t PLAIT_DETAIL_AFTER parameters) { \
        traits<T>::name(t PLAIT_DETAIL_AFTER arguments);                                                       \
      } || (by_members<traits<T>> && requires(std::remove_const_t<T>& t PLAIT_DETAIL_AFTER parameters) {       \
                                             t.name(PLAIT_DETAIL_ONLY arguments);                              \
                                           }));                                                                \
  template <class T>                                                                                           \
  concept name##_is_there_but_with_other_parameters =                                                          \
      referable<T> && !gives_##name<T> && !name##_is_there_but_not_for_a_const_##what<T> &&                    \
      names_##name<members_of<traits<T>, T>>;                                                                  \
  template <class T>                                                                                           \
  concept name##_is_a_function_with_other_parameters =                                                         \
      name##_is_there_but_with_other_parameters<T> && names_function_##name<members_of<traits<T>, T>>;

// Like PLAIT_DETAIL_MEMBER, for a member traits<T>::name(t, op) that T, or the op, may have.
#define PLAIT_DETAIL_OP_MEMBER(traits, what, name)                                                          \
  PLAIT_DETAIL_NAMES(name)                                                                                  \
  template <class T>                                                                                        \
  concept gives_##name = requires(T const& t, op_ref_t<T> op) { traits<T>::name(t, op); };                  \
  template <class T>                                                                                        \
  concept name##_is_there_but_not_for_a_const_##what =                                                      \
      referable<T> && !gives_##name<T> &&                                                                   \
      (requires(std::remove_const_t<T>& t, mutable_op_ref_t<T> op) { traits<T>::name(t, op); } ||           \
       (by_members<traits<T>> && (                                                                          \
                                     requires(std::remove_const_t<T>& t, op_ref_t<T> op) { t.name(op); } || \
                                     requires(op_object_t<T>& op) { op.name(); })));                        \
  template <class T>                                                                                        \
  concept name##_is_there_but_with_other_parameters =                                                       \
      referable<T> && !gives_##name<T> && !name##_is_there_but_not_for_a_const_##what<T> &&                 \
      (names_##name<members_of<traits<T>, T>> || (by_members<traits<T>> && names_##name<op_object_t<T>>));  \
  template <class T>                                                                                        \
  concept name##_is_a_function_with_other_parameters =                                                      \
      name##_is_there_but_with_other_parameters<T> && !by_members<traits<T>> && names_function_##name<traits<T>>;

// Like PLAIT_DETAIL_MEMBER, for members that modify a T.
#define PLAIT_DETAIL_MUTABLE_MEMBER(traits, name, parameters, arguments)                     \
  PLAIT_DETAIL_NAMES(name)                                                                   \
  template <class T>                                                                         \
  concept gives_##name = requires(std::remove_const_t<T>& t PLAIT_DETAIL_AFTER parameters) { \
    traits<T>::name(t PLAIT_DETAIL_AFTER arguments);                                         \
  };                                                                                         \
  template <class T>                                                                         \
  concept name##_is_there_but_with_other_parameters =                                        \
      referable<T> && !gives_##name<T> && names_##name<members_of<traits<T>, T>>;            \
  template <class T>                                                                         \
  concept name##_is_a_function_with_other_parameters =                                       \
      name##_is_there_but_with_other_parameters<T> && names_function_##name<members_of<traits<T>, T>>;

// For use in a consteval check: asserts one sentence per fault. `holds`: the member satisfies its concept.
#define PLAIT_DETAIL_CHECK_MEMBER(T, holds, place, what, name, call, wanted)          \
  static_assert(holds || ::plait::detail::gives_##name<T> ||                          \
                    ::plait::detail::name##_is_there_but_not_for_a_const_##what<T> || \
                    ::plait::detail::name##_is_there_but_with_other_parameters<T>,    \
                "plait: " place " lacks " call ", " wanted);                          \
  PLAIT_DETAIL_CHECK_CONST(T, what, name, place, call);                               \
  PLAIT_DETAIL_CHECK_CALL(T, holds, is_there_but_with_other_parameters, place, name, call, wanted)

// Like PLAIT_DETAIL_CHECK_MEMBER, for optional members. Data members and templates of that name are not diagnosed: they
// may have another purpose.
#define PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(T, holds, place, what, name, call, wanted) \
  PLAIT_DETAIL_CHECK_CONST(T, what, name, place, call);                               \
  PLAIT_DETAIL_CHECK_CALL(T, holds, is_a_function_with_other_parameters, place, name, call, wanted)

// Like PLAIT_DETAIL_CHECK_MEMBER, for members that modify a T.
#define PLAIT_DETAIL_CHECK_MUTABLE_MEMBER(T, holds, place, name, call, wanted)                                       \
  static_assert(::plait::detail::gives_##name<T> || ::plait::detail::name##_is_there_but_with_other_parameters<T>,   \
                "plait: " place " lacks " call ", " wanted);                                                         \
  PLAIT_DETAIL_CHECK_CALL(T, ::plait::detail::gives_##name<T> && (holds), is_there_but_with_other_parameters, place, \
                          name, call, wanted)

#define PLAIT_DETAIL_CHECK_OPTIONAL_MUTABLE_MEMBER(T, holds, place, name, call, wanted)                               \
  PLAIT_DETAIL_CHECK_CALL(T, ::plait::detail::gives_##name<T> && (holds), is_a_function_with_other_parameters, place, \
                          name, call, wanted)

#define PLAIT_DETAIL_CHECK_CONST(T, what, name, place, call)                     \
  static_assert(!::plait::detail::name##_is_there_but_not_for_a_const_##what<T>, \
                "plait: " place "::" call " is there, but cannot be called with a const " #what)

#define PLAIT_DETAIL_CHECK_CALL(T, holds, fault, place, name, call, wanted)                                        \
  static_assert((holds) || !::plait::detail::name##_##fault<T>,                                                    \
                "plait: " place "::" call " is there, but cannot be called like this; wanted: " call ", " wanted); \
  if constexpr (::plait::detail::gives_##name<T>)                                                                  \
  static_assert(holds, "plait: " place "::" call " is there, but returns another type; wanted: " wanted)

// Checks a member t.name(parameters) of T directly, without traits.
#define PLAIT_DETAIL_CHECK_OWN_MEMBER(T, holds, given, given_if_mutable, named, object, call, wanted)                \
  static_assert((holds) || (given) || (given_if_mutable) || (named), "plait: a " object " lacks " call ", " wanted); \
  static_assert((holds) || (given) || !(given_if_mutable),                                                           \
                "plait: " call " of a " object " is there, but cannot be called on a const " object);                \
  static_assert((holds) || (given) || (given_if_mutable) || !(named),                                                \
                "plait: " call " of a " object " is there, but cannot be called like this; wanted: " call            \
                ", " wanted);                                                                                        \
  if constexpr (given)                                                                                               \
  static_assert(holds, "plait: " call " of a " object " is there, but returns another type; wanted: " wanted)
