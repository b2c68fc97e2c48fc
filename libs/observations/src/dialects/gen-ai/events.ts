// Messages as span events. Until version 1.36 of the conventions, each message is a separate event. Since version 1.37, one event contains
// all messages.
import type { ByteWriter } from '@svc-server/column-store/native'
import { sourceOf } from '@svc-server/column-store/native'
import { attributeText } from '../../rules/attribute-text.ts'
import type { InputOutputRule } from '../../rules/input-output-rule.ts'
import { eventKinds, eventsOf, type SpanEvent, viewOf } from '../../rules/span-events.ts'
import { listedTools } from '../../rules/tool-definitions.ts'
import { noTools, type ToolSource } from '../../rules/tool-source.ts'
import { deadKey } from '../../span-view/attribute-store.ts'
import type { Content } from '../../span-view/content.ts'
import { writeAscii, writeJson } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'
import { readMessages } from './messages.ts'

const details = eventKinds('gen_ai.client.inference.operation.details')

const definitionsKey = keyNumber('gen_ai.tool.definitions')
const argumentsKey = keyNumber('gen_ai.tool.call.arguments')

export const detailsEvent: InputOutputRule = {
  name: 'gen_ai details event',
  read(span) {
    if (span.events.length === 0) return false
    let found = false
    // Input and output can be in different events.
    for (const event of eventsOf(span, details)) {
      const view = viewOf(span, event)
      if (view === undefined) continue
      if (view.own.get(definitionsKey) >= 0) span.eventTools = true
      if (!readMessages(view)) continue
      if (!found || !span.input.present) span.input.take(view.input)
      if (!found || !span.output.present) span.output.take(view.output)
      found = true
      if (span.input.present && span.output.present) break
    }
    return found
  },
}

/** Besides messages, the details event can contain the definitions of tools. */
export const toolsOfEvents: ToolSource = {
  name: 'gen_ai details event',
  find(span) {
    if (!span.eventTools) return noTools
    return eventsOf(span, details).flatMap(event => {
      const view = viewOf(span, event)
      const entry = view?.own.get(definitionsKey) ?? -1
      const tools = view === undefined || entry < 0 ? undefined : listedTools(attributeText(view, entry))
      return tools === undefined ? [] : [{ name: 'gen_ai.tool.definitions', tools, leave: () => {} }]
    })
  },
}

const roles: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
])
const messageKinds = eventKinds(...roles.keys())
const choiceKinds = eventKinds('gen_ai.choice')

/** The output is the model's choice, or a list of several choices. */
export const messageEvents: InputOutputRule = {
  name: 'gen_ai message events',
  read(span) {
    if (span.events.length === 0) return false
    const messages = eventsOf(span, messageKinds)
    const choices = eventsOf(span, choiceKinds)
    if (messages.length === 0 && choices.length === 0) return false
    if (readToolRun(span, messages, choices)) return true
    if (messages.length === 0) span.input.clear()
    else writeList(span, messages, span.input)
    span.explanation?.side('input')
    if (choices.length === 0) span.output.clear()
    else writeOutput(span, choices)
    span.explanation?.side('output')
    return true
  },
}

/**
 * Handles a span that has the arguments of a tool, and whose messages all have the role `tool`. The arguments become the input. The event
 * `gen_ai.choice` becomes the output. Without this event, the messages become the output. Returns false for any other span.
 */
function readToolRun(span: SpanView, messages: readonly SpanEvent[], choices: readonly SpanEvent[]): boolean {
  if (messages.length === 0) return false
  const args = span.own.get(argumentsKey)
  if (!span.attributes.isTruthy(args) || messages.some(({ kind }) => roles.get(kind) !== 'tool')) return false
  span.explanation?.use('gen_ai.tool.call.arguments')
  span.input.attribute(span, args)
  span.explanation?.side('input')
  writeOutput(span, choices.length > 0 ? choices : messages)
  span.explanation?.side('output')
  return true
}

function writeOutput(span: SpanView, events: readonly SpanEvent[]): void {
  if (events.length > 1) {
    writeList(span, events, span.output)
    return
  }
  writeEvent(span.output.writer(), span, events[0]!)
  span.output.written()
}

function writeList(span: SpanView, events: readonly SpanEvent[], into: Content): void {
  const out = into.writer()
  events.forEach((event, i) => {
    out.byte(i === 0 ? 0x5b : 0x2c)
    writeEvent(out, span, event)
  })
  out.byte(0x5d)
  into.written()
}

/** If the event has an attribute `role`, this attribute overrides the role in the event's name. */
export function writeEvent(out: ByteWriter, span: SpanView, event: SpanEvent): void {
  const view = viewOf(span, event)
  const role = roles.get(event.kind)
  if (view === undefined) {
    writeAscii(out, role === undefined ? '{}' : `{"role":"${role}"}`)
    return
  }
  const own = role === undefined ? -1 : roleOf(view)
  let separator = 0x7b
  if (role !== undefined && own < 0) {
    writeAscii(out, `{"role":"${role}"`)
    separator = 0x2c
  }
  if (writeAttributes(out, view, separator) || separator === 0x2c) out.byte(0x7d)
  else writeAscii(out, '{}')
}

const roleName = sourceOf('role')
function roleOf(view: SpanView): number {
  return view.own.get(view.attributes.table.numberOf(roleName, 0, roleName.bytes.length))
}

/**
 * Writes the attributes of an event as members of a JSON object, with `separator` before the first member. Returns false if there are no
 * members.
 */
function writeAttributes(out: ByteWriter, view: SpanView, separator: number): boolean {
  const { attributes, source } = view
  let between = separator
  for (let entry = 0; entry < attributes.length; entry++) {
    if (attributes.keys[entry] === deadKey) continue
    out.byte(between)
    between = 0x2c
    const key = Buffer.from(`${JSON.stringify(attributes.table.nameOf(attributes.keys[entry]!))}:`)
    out.raw(key, 0, key.length)
    writeJson(out, source, attributes.value(entry))
  }
  return attributes.length > 0
}
