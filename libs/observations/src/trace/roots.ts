import { appRootRules, asRootRules } from '../columns/trace.ts'
import { findFirst } from '../rules/rules.ts'
import { isTrue } from '../rules/words.ts'
import type { SpanView } from '../span-view/span-view.ts'

/**
 * True for a span that the SDK marks as root, or as the first span of an application. The parent of such a first span can belong to an
 * instrumentation whose spans are not sent.
 */
export const isMarkedRoot = (span: SpanView): boolean =>
  isTrue(span, findFirst(span, appRootRules)) || isTrue(span, findFirst(span, asRootRules))

/** True for a span without a parent. If the parent id is all zeros, the span has no parent. */
export const isParentless = (span: SpanView): boolean => span.parentSpanId < 0
