// LiveKit reports a call's metrics as one JSON value. This value contains the time to the first token. It also contains token counts that
// are missing in the attributes.
import type { SaidUsage } from '@svc-server/pricing/said-usage'
import { cell } from '@svc-server/pricing/usage-cells'
import { scopeIs } from '../../rules/input-output-rule.ts'
import { jsonAttribute } from '../../rules/json-attribute.ts'
import { findFirst, type Rule, spanAttributes } from '../../rules/rules.ts'
import { countsIn, saidCounts } from '../../rules/usage-rules.ts'
import { words } from '../../rules/words.ts'
import { isJsonObject, type JsonObject, numberText } from '../../span-view/json-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import './keys.ts'

const isLivekit = scopeIs('livekit-agents')
const metricsRules = spanAttributes('truthy', 'lk.llm_metrics', 'lk.realtime_model_metrics')

/** Returns undefined for spans of other dialects. */
function metricsOf(span: SpanView): { readonly entry: number; readonly metrics: JsonObject } | undefined {
  const entry = isLivekit(span) ? findFirst(span, metricsRules) : -1
  const metrics = entry < 0 ? undefined : jsonAttribute(span, entry)
  return isJsonObject(metrics) ? { entry, metrics } : undefined
}

/** These spans surround a model call. The call itself is a child span (`llm_request` or `tts_request`), which reports the usage. */
const outer = words({
  llm_node: true,
  llm_fallback_adapter: true,
  tts_node: true,
  tts_stream_adapter: true,
  tts_fallback_adapter: true,
})
const isOuter = (span: SpanView): boolean => isLivekit(span) && outer(span.source, span.nameStart, span.nameEnd) === true

/**
 * Reads the usage of a LiveKit span. For a span that surrounds a model call and reports no usage, the function adds no count, but returns
 * true. The server then counts no tokens in this span, so it does not count the tokens of the call twice. If the attributes have no count
 * of cached tokens, the function also reads the metrics, because older LiveKit versions report cached tokens only there.
 */
export function livekitUsage(span: SpanView, said: SaidUsage): boolean {
  const found = metricsOf(span)
  if (found === undefined) return isOuter(span) && !hasUsage(span)
  const isSaid = saidCounts(span, said)
  if (said.has(cell.cached)) return false
  return countsIn(found.metrics, said, { entry: found.entry, fill: true }) || isSaid
}

const hasUsage = ({ attributes }: SpanView): boolean => (attributes.seenFlags & keyFlag.usage) !== 0

export const livekitFirstToken: Rule<number> = {
  name: 'LiveKit’s time to the first token',
  read(span) {
    const seconds = Number(numberText(metricsOf(span)?.metrics['ttft']) ?? 0)
    return seconds > 0 && seconds < 86_400 ? span.startUs + Math.round(seconds * 1e6) : undefined
  },
}
