// Logfire sends input and output in one of two forms: in the attributes `prompt` and `all_messages_events`, or as a list of events in the
// attribute `events`.

import type { Dialect } from '../../rules/dialect.ts'
import { type InputOutputRule, pair } from '../../rules/input-output-rule.ts'
import { jsonAttribute } from '../../rules/json-attribute.ts'
import { spanAttribute } from '../../rules/rules.ts'
import type { Content } from '../../span-view/content.ts'
import { isJsonObject, jsonText, parseJson } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import { logfireKeys } from './keys.ts'

const eventsKey = keyNumber('events')
const choiceName = 'gen_ai.choice'

/**
 * The output is the first of the choices (alternative replies) that the model returned. If the model returned several choices, the
 * attribute also stays in the metadata.
 */
const eventsRule: InputOutputRule = {
  name: 'Logfire events',
  read(span) {
    const entry = span.own.get(eventsKey)
    if (!span.attributes.isTruthy(entry)) return false
    const list = jsonAttribute(span, entry)
    if (!Array.isArray(list)) {
      span.lose('unreadable_json', entry)
      return false
    }
    const events = list.map(event => (typeof event === 'string' ? (parseJson(event) ?? event) : event)).filter(event => event !== null)
    const isChoice = (event: unknown) => isJsonObject(event) && event['event.name'] === choiceName
    const choices = events.filter(isChoice)
    if (events.length === 0) return false
    span.explanation?.use('events')
    const inputs = events.filter(event => !isChoice(event))
    const taken = [write(inputs.length > 0 ? inputs : undefined, span.input), write(choices[0], span.output)]
    if (choices.length > 1 || taken.includes(false)) span.leaveOut(entry)
    return true
  },
}

export const logfire: Dialect = {
  name: 'Logfire',
  keys: logfireKeys,
  attributes: { name: [[30, spanAttribute('logfire.msg')]] },
  inputOutput: [
    [90, pair('Logfire', { input: ['prompt'], output: ['all_messages_events'] })],
    [110, eventsRule],
  ],
}

/** Returns false if the value is nested too deeply to serialize. */
function write(value: unknown, into: Content): boolean {
  into.clear()
  if (value === undefined) return true
  const text = jsonText(value)
  if (text !== undefined) into.string(text)
  return text !== undefined
}
