// Lists of messages whose system instructions stand in an attribute of their own: put in front, so that the
// input is what the model was given.

import { saysNothing } from '../../rules/json-attribute.ts'
import type { Content } from '../../span-view/content.ts'
import { isJsonObject, jsonText, numberText, parseJson, wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import { renderText } from '../../span-view/render-text.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

const instructionsKey = keyNumber('gen_ai.system_instructions')

/**
 * The messages of `entry` with the system instructions as the first one, unless there is a system message or
 * the value is no list of messages.
 */
export function writeMessages(span: SpanView, entry: number, into: Content): void {
  into.attribute(span, entry)
  const instructions = span.own.get(instructionsKey)
  if (!span.attributes.isTruthy(instructions)) return
  const content = instructionText(span, instructions)
  const text = into.text()
  const messages = parseJson(text)
  const takesInstructions =
    content !== '' && Array.isArray(messages) && messages.every(isJsonObject) && !messages.some(message => message['role'] === 'system')
  if (!takesInstructions) {
    // They are in no column then.
    span.leaveOut(instructions)
    return
  }
  span.trail?.use('gen_ai.system_instructions')
  into.string(`[${JSON.stringify({ role: 'system', content })}${messages.length > 0 ? ',' : ''}${text.slice(text.indexOf('[') + 1)}`)
}

/**
 * Text as it is; the contents of a JSON list joined by newlines; other JSON as its text. Empty where there
 * are none.
 */
function instructionText(span: SpanView, entry: number): string {
  const rendered = renderText(span.source, span.attributes.value(entry))
  const text = wireText(rendered, 0, rendered.length)
  if (saysNothing(text)) return ''
  const parsed = parseJson(text)
  if (Array.isArray(parsed))
    return parsed
      .map(contentOf)
      .filter(content => content !== undefined)
      .join('\n')
  return typeof parsed === 'string' ? parsed : text
}

function contentOf(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  if (!isJsonObject(part)) return undefined
  const content = part['content'] ?? undefined
  return typeof content === 'string' ? content : (numberText(content) ?? jsonText(content))
}
