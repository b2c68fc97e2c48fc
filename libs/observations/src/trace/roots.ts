// Which spans are the roots of their traces.
import { appRootRules, asRootRules } from '../columns/trace.ts'
import { findFirst } from '../rules/rules.ts'
import { isTrue } from '../rules/words.ts'
import type { SpanView } from '../span-view/span-view.ts'

/** The application's first span below spans that are not sent, or what the SDK calls a root. */
export const isMarkedRoot = (span: SpanView): boolean =>
  isTrue(span, findFirst(span, appRootRules)) || isTrue(span, findFirst(span, asRootRules))

/** Also by one of zeros. */
export const isParentless = (span: SpanView): boolean => span.parentSpanId < 0
