// Explicit instantiations of plans of NetDefs, or their declarations: what the library plait::runtime has compiled.
#pragma once

#include <plait/exec/plan.hpp>
#include <plait/netdef/traits.hpp>

/// Instantiates the plans of backend B: `extern` as first argument declares, an empty one defines.
#define PLAIT_PLAN_TEMPLATES(EXTERN, B)                                                                            \
  EXTERN template class plait::engine<B>;                                                                          \
  EXTERN template plait::engine<B>::engine(plait::netdef const&, plait::operators<B> const&, plait::workspace<B>&, \
                                           plait::compile_options const&, plait::engine<B>::nesting const*);       \
  EXTERN template class plait::plan<B>;                                                                            \
  EXTERN template plait::plan<B>::plan(plait::netdef const&, plait::operators<B> const&, plait::workspace<B>&,     \
                                       plait::compile_options const&);
