// Prepends system instructions to the messages, so that the input shows all texts that the model received.

import { saysNothing } from '../../rules/json-attribute.ts'
import { contains, wordsOf } from '../../span-view/byte-search.ts'
import { CompactJson } from '../../span-view/compact-json.ts'
import type { Content } from '../../span-view/content.ts'
import { isJsonObject, jsonText, numberText, parseJson, wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import { renderText } from '../../span-view/render-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

const instructionsKey = keyNumber('gen_ai.system_instructions')

/**
 * Writes the messages, with the instructions before them. Omits the instructions if a system message exists, or if the attribute `entry` is
 * not a list of messages.
 */
export function writeMessages(span: SpanView, entry: number, into: Content): void {
  into.attribute(span, entry)
  const instructions = span.own.get(instructionsKey)
  if (!span.attributes.isTruthy(instructions)) return
  const content = instructionText(span, instructions)
  if (content !== '' && isPlainChat(into)) {
    span.explanation?.use('gen_ai.system_instructions')
    into.range(into.source, into.start + 1, into.end)
    into.enclose(`[${JSON.stringify({ role: 'system', content })},`, '')
    return
  }
  const text = into.text()
  const messages = parseJson(text)
  const takesInstructions =
    content !== '' && Array.isArray(messages) && messages.every(isJsonObject) && !messages.some(message => message['role'] === 'system')
  if (!takesInstructions) {
    // No column contains the instructions. `leaveOut` therefore keeps the instructions in the metadata.
    span.leaveOut(instructions)
    return
  }
  span.explanation?.use('gen_ai.system_instructions')
  into.string(`[${JSON.stringify({ role: 'system', content })}${messages.length > 0 ? ',' : ''}${text.slice(text.indexOf('[') + 1)}`)
}

const json = new CompactJson()
const systemMessages = wordsOf('"role":"system"')

/** True only for compact JSON without a system message. */
const isPlainChat = ({ source, start, end }: Content): boolean =>
  json.read(source.bytes, start, end) && json.isListOfObjects && !contains(source, start, end, systemMessages)

/**
 * Returns the texts of parts and messages, joined by newlines. JSON without texts stays JSON. Returns an empty text if there are no
 * instructions.
 */
function instructionText(span: SpanView, entry: number): string {
  const rendered = renderText(span.source, span.attributes.value(entry))
  const text = wireText(rendered, 0, rendered.length)
  if (saysNothing(text)) return ''
  const parsed = parseJson(text)
  if (typeof parsed === 'string') return parsed
  if (!Array.isArray(parsed) && !(isJsonObject(parsed) && holders.some(name => parsed[name] != null))) return text
  return textsOf(parsed, 0).join('\n')
}

/** Members that contain a text or nested parts. */
const holders = ['parts', 'content', 'text'] as const
const deepest = 8

/** The value can be a text, a part, a message, or a list of these. Other JSON stays JSON, so that none of its members is lost. */
function textsOf(value: unknown, depth: number): readonly string[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [value]
  if (Array.isArray(value) && depth < deepest) return value.flatMap(part => textsOf(part, depth + 1))
  if (isJsonObject(value) && depth < deepest) {
    const held = holders.find(name => value[name] !== undefined)
    if (held !== undefined) return textsOf(value[held], depth + 1)
    // An empty object contains no text, and neither does a message (an object with a role) without `holders`. Both are dropped.
    if (Object.keys(value).length === 0 || value['role'] !== undefined) return []
  }
  return [numberText(value) ?? jsonText(value) ?? '']
}
