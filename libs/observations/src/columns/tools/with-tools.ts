// Moves tool definitions into the input, so that it shows everything that the model received.
import { toolList, uniqueTools } from '../../rules/tool-definitions.ts'
import { parseTools, toolJson } from '../../rules/tool-texts.ts'
import { contains, wordsOf } from '../../span-view/byte-search.ts'
import { CompactJson } from '../../span-view/compact-json.ts'
import type { Content } from '../../span-view/content.ts'
import { isJsonObject, type JsonObject, jsonText, numberText, parseJson, wireText } from '../../span-view/json-text.ts'

const bracket = 0x5b
const brace = 0x7b

type Tools = Parameters<typeof uniqueTools>[0]

export interface InputWithTools {
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
}

/**
 * An input that is a list becomes `{messages, tools}`, an object gains `tools`, a text becomes `{prompt, tools}`, and a missing input
 * becomes `{tools}`. The input's own tools come first, and win over tools of the same name. Returns undefined for a number or boolean, and
 * for an object whose `tools` is not a list of tools.
 */
export function withTools(input: string | undefined, tools: Tools): InputWithTools | undefined {
  const parsed = input === undefined ? null : parseJson(input)
  const own = parsed === undefined ? input : parsed
  if (own === null) return besideTools({}, tools)
  if (typeof own === 'string') return besideTools({ prompt: own }, tools)
  if (Array.isArray(own)) return besideTools({ messages: own }, tools)
  const value = mergedTools(own, tools)
  const text = value === undefined ? undefined : jsonText(value)
  return value === undefined || text === undefined ? undefined : { text, value }
}

function besideTools(input: JsonObject, all: Tools): InputWithTools | undefined {
  const tools = uniqueTools(all)
  const before = jsonText(input)
  const list = listText(tools)
  if (before === undefined || list === undefined) return undefined
  const open = before.slice(0, -1)
  return { text: `${open}${open === '{' ? '' : ','}"tools":${list}}`, value: { ...input, tools } }
}

/** Clients send mostly the same tools with every call, so their JSON texts are reused. */
function listText(tools: Tools): string | undefined {
  const texts = tools.map(toolJson)
  return texts.includes(undefined) ? undefined : `[${texts.join(',')}]`
}

const json = new CompactJson()
/** Members in which messages can define tools. */
const wordsOfMessages = wordsOf('"tools":', '"content":{')
/** Members in which an input object can define tools. */
const wordsOfObjects = wordsOf('"tools":', '"functions":', '"content":{')

/**
 * Like `withTools`, but copies the input instead of parsing it. Returns all tools that the input then contains. An input cannot be copied
 * if serializing would change the input, or if the input can have tools outside of its member `tools`. The function then returns undefined.
 */
export function addTools(input: Content, added: Tools): Tools | undefined {
  const { present, source, start, end } = input
  const isList = source.bytes[start] === bracket
  if (!present || !(isList || source.bytes[start] === brace) || !json.read(source.bytes, start, end)) return undefined
  const place = isList ? -1 : json.find('tools')
  if (place >= 0) return addToList(input, added, json.start(place), json.end(place))
  if (contains(source, start, end, isList ? wordsOfMessages : wordsOfObjects)) return undefined
  const tools = uniqueTools(added)
  const list = listText(tools)
  if (list === undefined) return undefined
  if (isList) input.enclose('{"messages":', `,"tools":${list}}`)
  else input.replace(end - 1, end, `${json.length === 0 ? '' : ','}"tools":${list}}`)
  return tools
}

/** Adds the tools to the input object's member `tools`. The value of this member is in the range [from, to). */
function addToList(input: Content, added: Tools, from: number, to: number): Tools | undefined {
  const { source, start, end } = input
  const before = from - '"tools":'.length
  if (contains(source, start, before, wordsOfObjects) || contains(source, to, end, wordsOfObjects)) return undefined
  const own = toolList(parseTools(wireText(source, from, to)), { providerTools: true })
  if (own === undefined) return undefined
  const tools = uniqueTools([...own, ...added])
  const list = listText(tools)
  if (list === undefined) return undefined
  input.replace(from, to, list)
  return tools
}

function mergedTools(input: unknown, tools: Tools): InputWithTools['value'] | undefined {
  if (!isJsonObject(input) || numberText(input) !== undefined) return undefined
  const own = input['tools']
  const ownTools = own == null || (Array.isArray(own) && own.length === 0) ? [] : toolList(own, { providerTools: true })
  return ownTools === undefined ? undefined : { ...input, tools: uniqueTools([...ownTools, ...tools]) }
}
