// Semantic Kernel sends prompt and completion as span events.
import type { Dialect } from '../../rules/dialect.ts'
import type { InputOutputRule } from '../../rules/input-output-rule.ts'
import { eventKinds, eventsOf, type SpanEvent, viewOf } from '../../rules/span-events.ts'
import { declareKeys } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import { writeEvent } from '../gen-ai/events.ts'

const kinds = eventKinds('gen_ai.content.prompt', 'gen_ai.content.completion')

/**
 * Reads the input from the events `gen_ai.content.prompt`, and the output from the events `gen_ai.content.completion`. For each side (input
 * or output), this rule reads the side's events one after another, and stops at the first event that has content. To find the content of an
 * event, this rule runs every dialect's input and output rules on the event. If no rule matches the event, or if the first
 * matching rule does not set this side, the event's content is a JSON object with the event's attributes. If the span has only events of
 * one of the two names, the content of the other side is `{}`.
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
      // The loop ends at the first event that has content. For the final `undefined`, `writeSide` writes `{}` if the side is still absent.
      for (const event of [...found.filter(candidate => candidate.kind === kind), undefined]) {
        if (writeSide(span, event, side, all)) break
      }
      span.explanation?.side(side)
    }
    return true
  },
}

/** Returns false if the event has no content. */
function writeSide(span: SpanView, event: SpanEvent | undefined, side: 'input' | 'output', all: readonly InputOutputRule[]): boolean {
  const view = event === undefined ? undefined : viewOf(span, event)
  if (event === undefined || view === undefined) {
    if (!span[side].present) span[side].string('{}')
    return event === undefined
  }
  view.input.clear()
  view.output.clear()
  if (all.some(rule => rule.read(view, all)) && view[side].present) {
    span[side].take(view[side])
    return view[side].end > view[side].start
  }
  writeEvent(span[side].writer(), span, event)
  span[side].written()
  return view.attributes.length > 0
}

export const semanticKernel: Dialect = { name: 'Semantic Kernel', keys: declareKeys({}), inputOutput: [[70, events]] }
