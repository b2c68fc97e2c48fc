// LiveKit agents: a span's name determines its type.

import type { Dialect } from '../../rules/dialect.ts'
import { scopeIs } from '../../rules/input-output-rule.ts'
import { type Words, words } from '../../rules/words.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { inputOutput } from './input-output.ts'
import { livekitKeys } from './keys.ts'
import { livekitFirstToken, livekitUsage } from './metrics.ts'

const isLivekit = scopeIs('livekit-agents')

const types = words<ObservationType>({ agent_turn: 'AGENT', start_agent_activity: 'AGENT', function_tool: 'TOOL' })

/** Internal spans of LiveKit's voice pipeline. These spans are numerous, and useful only to developers of the pipeline. */
const plumbing = words(
  Object.fromEntries(
    [
      'user_speaking',
      'eou_detection',
      'llm_request_run',
      'tts_node',
      'tts_request',
      'tts_request_run',
      'tts_stream_adapter',
      'agent_speaking',
      'drain_agent_activity',
      'on_exit',
      'on_enter',
      'llm_fallback_adapter',
      'tts_fallback_adapter',
      'start_agent_activity',
    ].map(name => [name, 'DEBUG' as const]),
  ),
)

function named<T>(span: SpanView, table: Words<T>): T | undefined {
  if (!isLivekit(span)) return undefined
  span.explanation?.use('span name')
  return table(span.source, span.nameStart, span.nameEnd)
}

export const livekit: Dialect = {
  name: 'LiveKit',
  keys: livekitKeys,
  type: [[110, { name: 'LiveKit span name', read: span => named(span, types) }]],
  level: [[30, { name: 'LiveKit plumbing', read: span => named(span, plumbing) }]],
  inputOutput: [[100, inputOutput]],
  completionStart: [[50, livekitFirstToken]],
  usage: [[45, { name: 'LiveKit metrics', counts: livekitUsage }]],
}
