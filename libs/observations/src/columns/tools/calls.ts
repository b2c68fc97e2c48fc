// Finds tool calls in an output, in the forms of all models and frameworks.
import { mapKey } from '@svc-server/json'
import { isJsonObject, type JsonObject, jsonText, numberText, parseJson } from '../../span-view/json-text.ts'

export interface ToolCall {
  readonly name: string
  /** JSON text of `{id, arguments, type, index}`. */
  readonly json: string
}

/** Types of objects that are tool calls. */
const callTypes: ReadonlySet<unknown> = new Set([
  ...['tool_use', 'server_tool_use', 'mcp_tool_use', 'tool-call', 'tool_call', 'toolCall'],
  ...['function_call', 'custom_tool_call', 'mcp_call', 'functionCall', 'server_tool_call', 'FunctionCallContent'],
])

/** Members that contain a tool call, in the forms of Gemini, Bedrock, OpenInference, Haystack, Genkit, and OpenAI's first interface. */
const callMembers = ['functionCall', 'function_call', 'toolUse', 'tool_use', 'tool_call', 'toolCall', 'toolRequest'] as const
/** Members that contain a message, the parts of a message, or the messages of a response. */
const holders = [
  'content',
  'parts',
  'message',
  'candidates',
  'choices',
  'delta',
  'output',
  'response',
  'generations',
  'kwargs',
  'outputs',
  'data',
  'items',
  'blocks',
  'Items',
  'gen_ai.event.content',
] as const

/**
 * Each bit stands for a group of member names. A loop over an object's members looks up the bit of each name. This is cheaper than looking
 * up every name of every group in the object, because most objects have few members.
 */
const mayBeCall = 1
const hasList = 2
const hasMember = 4
const firstHolder = 8
const bitsOfNames: ReadonlyMap<string, number> = new Map([
  ...['type', 'part_kind', 'content_type', 'block_type', '$type', 'function', 'custom', 'toolName', 'tool_name', 'name'].map(
    name => [name, mayBeCall] as const,
  ),
  ...['tool_calls', 'toolCalls', 'additional_kwargs', 'message.tool_calls'].map(name => [name, hasList] as const),
  ...[...callMembers, 'method', 'function_call_name'].map(name => [name, hasMember] as const),
  ...holders.map((name, i) => [name, firstHolder << i] as const),
])

function bitsOf(object: JsonObject): number {
  let bits = 0
  for (const name in object) bits |= bitsOfNames.get(name) ?? 0
  return bits
}

/** Types of tool results, such as `tool-result`, `tool_call_response`, `function_call_output` or `tool-error`. */
const answerType = /(?:result|response|output|return|error)s?$/i
const answerRoles: ReadonlySet<unknown> = new Set(['tool', 'function'])

const maxDepth = 16

/** Returns the distinct calls of an output, in order. */
export function callsOf(output: unknown): readonly ToolCall[] {
  const calls = new Calls()
  visit(output, calls, 0)
  return calls.found
}

function visit(value: unknown, calls: Calls, depth: number): void {
  if (depth > maxDepth) return
  if (Array.isArray(value)) {
    for (const entry of value) visit(typeof entry === 'string' && entry.startsWith('{') ? parseJson(entry) : entry, calls, depth + 1)
    return
  }
  if (!isJsonObject(value)) return
  const bits = bitsOf(value)
  if ((bits & mayBeCall) !== 0 && isCall(value)) {
    calls.add(value)
    return
  }
  if ((bits & hasList) !== 0) {
    calls.addList(value['tool_calls'] ?? value['toolCalls'] ?? value['message.tool_calls'])
    if (isJsonObject(value['additional_kwargs'])) calls.addList(value['additional_kwargs']['tool_calls'])
  }
  if ((bits & hasMember) !== 0) {
    for (const name of callMembers) calls.addMember(value[name])
    if (isName(value['function_call_name']))
      calls.addMember({ name: value['function_call_name'], arguments: value['function_call_arguments_json'] })
    // An MCP request that calls a tool.
    if (value['method'] === 'tools/call') calls.addMember(value['params'])
  }
  if (bits < firstHolder || isOfAnswer(value)) return
  for (let i = 0; i < holders.length; i++) {
    if ((bits & (firstHolder << i)) === 0) continue
    const name = holders[i]!
    const held = value[name]
    if (typeof held === 'object') visit(held, calls, depth + 1)
    // Attributes of events are always texts, even if they contain message parts as JSON.
    else if ((name === 'message' || name === 'gen_ai.event.content') && typeof held === 'string' && /^\s*[[{]/.test(held))
      visit(parseJson(held), calls, depth + 1)
    else if (name === 'content' && typeof held === 'string' && /^\s*\[\s*\{/.test(held)) calls.addParts(parseJson(held))
  }
}

function isCall(value: JsonObject): boolean {
  if (isAnswer(value)) return false
  const type = typeOf(value)
  if (callTypes.has(type)) return nameOf(value) !== undefined
  if (isName(type) && type.startsWith(partOfTool) && value['toolCallId'] !== undefined) return type.length > partOfTool.length
  const inner = value['function'] ?? value['custom']
  if (isJsonObject(inner)) return isName(inner['name']) && (inner['arguments'] !== undefined || inner['parameters'] === undefined)
  return isName(value['toolName'] ?? value['tool_name']) || (isName(value['name']) && value['arguments'] !== undefined)
}

/**
 * True for the result of a tool. Like a call, a result contains the tool's name, so the name alone does not show that an object is a call.
 */
function isAnswer(value: JsonObject): boolean {
  if (isOfAnswer(value)) return true
  const answered = value['result'] !== undefined || value['output'] !== undefined
  return (
    answered &&
    value['args'] === undefined &&
    value['arguments'] === undefined &&
    value['input'] === undefined &&
    !isJsonObject(value['function'] ?? value['custom'])
  )
}

/** True if the object's type or role marks a tool result. */
function isOfAnswer(value: JsonObject): boolean {
  const type = typeOf(value)
  return (typeof type === 'string' && !callTypes.has(type) && answerType.test(type)) || answerRoles.has(value['role'])
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

const typeOf = (value: JsonObject): unknown =>
  value['type'] ?? value['part_kind'] ?? value['content_type'] ?? value['block_type'] ?? value['$type']

/** In the AI SDK's messages for user interfaces, parts have the type `tool-<name>`. */
const partOfTool = 'tool-'

/** Returns the object that describes the call: `function` for a function, and `custom` for a tool that gets free text as its input. */
function innerOf(call: JsonObject): JsonObject | undefined {
  const inner = call['function'] ?? call['custom']
  return isJsonObject(inner) ? inner : undefined
}

function nameOf(call: JsonObject): string | undefined {
  const name = innerOf(call)?.['name'] ?? call['name'] ?? call['toolName'] ?? call['tool_name']
  if (isName(name)) return name
  if (isName(call['FunctionName']))
    return isName(call['PluginName']) ? `${call['PluginName']}-${call['FunctionName']}` : call['FunctionName']
  const type = call['type']
  return isName(type) && type.startsWith(partOfTool) && call['toolCallId'] !== undefined ? type.slice(partOfTool.length) : undefined
}

/** OpenInference puts the call into the member `tool_call`, or into members with paths as names, such as `tool_call.function.name`. */
function unwrapped(call: JsonObject): JsonObject {
  if (nameOf(call) !== undefined) return call
  for (const name of callMembers) if (isJsonObject(call[name])) return call[name]
  const name = call['tool_call.function.name']
  return name === undefined ? call : { id: call['tool_call.id'], name, arguments: call['tool_call.function.arguments'] }
}

class Calls {
  readonly found: ToolCall[] = []
  readonly #seen = new Set<string>()

  addList(value: unknown): void {
    const list = typeof value === 'string' ? parseJson(value) : value
    if (Array.isArray(list)) for (const entry of list) this.add(entry)
  }

  /**
   * Adds each part whose type is that of a call. From a part with another type, adds only the calls in the members that `callMembers`
   * names. The part itself is not added, even if it looks like a call, because the part can be text that the model wrote.
   */
  addParts(value: unknown): void {
    if (!Array.isArray(value)) return
    for (const part of value) {
      if (!isJsonObject(part)) continue
      if (callTypes.has(typeOf(part))) this.add(part)
      else for (const name of callMembers) this.addMember(part[name])
    }
  }

  addMember(value: unknown): void {
    if (isJsonObject(value)) this.add(value)
  }

  /** Ignores calls without a name, and tool results among the calls. */
  add(value: unknown): void {
    const given = typeof value === 'string' ? parseJson(value) : value
    const call = isJsonObject(given) ? unwrapped(given) : given
    const name = isJsonObject(call) && !isAnswer(call) ? nameOf(call) : undefined
    if (name === undefined) return
    const object = call as JsonObject
    const inner = innerOf(object)
    const id = textOf(
      object['call_id'] ??
        object['id'] ??
        object['toolCallId'] ??
        object['toolUseId'] ??
        object['tool_use_id'] ??
        object['tool_call_id'] ??
        object['ref'] ??
        object['callId'] ??
        object['Id'],
    )
    const said =
      inner?.['arguments'] ??
      inner?.['input'] ??
      object['arguments'] ??
      object['args'] ??
      object['input'] ??
      object['parameters'] ??
      object['server_tool_call'] ??
      object['tool_kwargs'] ??
      object['Arguments']
    const args = said == null ? '{}' : textOf(said)
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
