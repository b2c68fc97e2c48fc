// Tool calls inside an output, in the shapes that models and frameworks give them.
import { mapKey } from '@svc-server/json'
import { isJsonObject, type JsonObject, jsonText, numberText, parseJson } from '../../span-view/json-text.ts'

export interface ToolCall {
  readonly name: string
  /** JSON text of `{id, arguments, type, index}`. */
  readonly json: string
}

/** Types of what is a call itself, in lists of content, of parts, or on its own. */
const callTypes: ReadonlySet<unknown> = new Set(['tool_use', 'tool-call', 'tool_call', 'function_call'])

/**
 * Types of what a tool answered: `tool-result`, `tool_call_response`, `function_call_output`, `tool-error`,
 * `functionResponse` …
 */
const answerType = /(?:result|response|output|return|error)s?$/i
/** Roles of messages that are an answer as a whole. */
const answerRoles: ReadonlySet<unknown> = new Set(['tool', 'function'])

const maxDepth = 16

/** The calls of an output in their order, each once. */
export function callsOf(output: unknown): readonly ToolCall[] {
  const calls = new Calls()
  visit(output, calls, 0)
  return calls.found
}

function visit(value: unknown, calls: Calls, depth: number): void {
  if (depth > maxDepth) return
  if (Array.isArray(value)) {
    for (const entry of value) visit(entry, calls, depth + 1)
    return
  }
  if (!isJsonObject(value)) return
  if (isCall(value)) {
    calls.add(value)
    return
  }
  calls.addList(value['tool_calls'] ?? value['toolCalls'])
  if (isJsonObject(value['additional_kwargs'])) calls.addList(value['additional_kwargs']['tool_calls'])
  for (const parts of [value['content'], value['parts']]) {
    if (!Array.isArray(parts)) continue
    for (const part of parts) if (isJsonObject(part) && callTypes.has(part['type'])) calls.add(part)
  }
  if (Array.isArray(value['choices'])) {
    for (const choice of value['choices']) if (isJsonObject(choice)) visit(choice['message'], calls, depth + 1)
  }
}

function isCall(value: JsonObject): boolean {
  if (isAnswer(value)) return false
  if (callTypes.has(value['type'])) return nameOf(value) !== undefined
  const inner = value['function']
  if (isJsonObject(inner)) return isName(inner['name']) && (inner['arguments'] !== undefined || inner['parameters'] === undefined)
  return isName(value['toolName']) || (isName(value['name']) && value['arguments'] !== undefined)
}

/** Answers name their tool too. */
function isAnswer(value: JsonObject): boolean {
  const type = value['type']
  if (typeof type === 'string' && !callTypes.has(type) && answerType.test(type)) return true
  if (answerRoles.has(value['role'])) return true
  const answered = value['result'] !== undefined || value['output'] !== undefined
  return (
    answered &&
    value['args'] === undefined &&
    value['arguments'] === undefined &&
    value['input'] === undefined &&
    !isJsonObject(value['function'])
  )
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

function nameOf(call: JsonObject): string | undefined {
  const inner = isJsonObject(call['function']) ? call['function']['name'] : undefined
  const name = inner ?? call['name'] ?? call['toolName']
  return isName(name) ? name : undefined
}

class Calls {
  readonly found: ToolCall[] = []
  readonly #seen = new Set<string>()

  addList(value: unknown): void {
    const list = typeof value === 'string' ? parseJson(value) : value
    if (Array.isArray(list)) for (const entry of list) this.add(entry)
  }

  /** A call without a name is none, nor is an answer among the calls. */
  add(value: unknown): void {
    const call = typeof value === 'string' ? parseJson(value) : value
    const name = isJsonObject(call) && !isAnswer(call) ? nameOf(call) : undefined
    if (name === undefined) return
    const object = call as JsonObject
    const inner = isJsonObject(object['function']) ? object['function'] : undefined
    const id = textOf(object['call_id'] ?? object['id'] ?? object['toolCallId'])
    const given = inner?.['arguments'] ?? object['arguments'] ?? object['args'] ?? object['input']
    const args = given == null ? '{}' : textOf(given)
    const key = mapKey(JSON.stringify(id === '' ? [name, args] : [id]))
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    const type = object['type'] == null ? (inner === undefined ? '' : 'function') : textOf(object['type'])
    this.found.push({ name, json: JSON.stringify({ id, arguments: args, type, index: indexOf(object['index']) }) })
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : value == null ? '' : (jsonText(value) ?? ''))

const indexOf = (value: unknown): number => {
  const index = Number(typeof value === 'string' ? value : (numberText(value) ?? 0))
  return Number.isSafeInteger(index) ? index : 0
}
