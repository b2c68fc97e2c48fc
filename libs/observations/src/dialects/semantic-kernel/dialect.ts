// Semantic Kernel: prompt and completion are span events.
import type { Dialect } from '../../rules/dialect.ts'
import type { InputOutputRule } from '../../rules/input-output-rule.ts'
import { eventKinds, eventsOf, type SpanEvent, viewOf } from '../../rules/span-events.ts'
import { declareKeys } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { writeEvent } from '../gen-ai/events.ts'

const kinds = eventKinds('gen_ai.content.prompt', 'gen_ai.content.completion')

/**
 * Semantic Kernel: the first event of each kind, asked by all the rules; where none of them knows it, its
 * attributes as an object.
 */
const events: InputOutputRule = {
  name: 'Semantic Kernel events',
  read(span, all) {
    if (span.events.length === 0) return false
    const found = eventsOf(span, kinds)
    if (found.length === 0) return false
    for (const [kind, side] of [
      ['gen_ai.content.prompt', 'input'],
      ['gen_ai.content.completion', 'output'],
    ] as const) {
      const event = found.find(candidate => candidate.kind === kind)
      writeSide(span, event, side, all)
      span.trail?.side(side)
    }
    return true
  },
}

function writeSide(span: SpanView, event: SpanEvent | undefined, side: 'input' | 'output', all: readonly InputOutputRule[]): void {
  const view = event === undefined ? undefined : viewOf(span, event)
  if (event === undefined || view === undefined) {
    span[side].string('{}')
    return
  }
  view.input.clear()
  view.output.clear()
  if (all.some(rule => rule.read(view, all))) {
    span[side].take(view[side])
    return
  }
  writeEvent(span[side].writer(), span, event)
  span[side].written()
}

export const semanticKernel: Dialect = { name: 'Semantic Kernel', keys: declareKeys({}), inputOutput: [[70, events]] }
