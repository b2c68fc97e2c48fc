// Tool definitions in the shapes that frameworks give them, read into one.

import { mapKey, TextMap } from '@svc-server/json'
import { isJsonObject, type JsonObject, jsonText } from '../span-view/json-text.ts'
import { parseTools } from './tool-texts.ts'

export interface ToolDefinition {
  readonly name: string
  /** JSON text of `{description, parameters}`; the parameters are JSON text themselves. */
  readonly json: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : value == null ? '' : (jsonText(value) ?? ''))

/** What a flat definition may have beside its name. */
const marks = ['type', 'description', 'desc', 'parameters', 'parameters_json_schema', 'inputSchema', 'input_schema'] as const

type NamedPart = JsonObject & { readonly name: string }

/**
 * The object that has the name: the tool itself, or its `function`. Where tools are listed, a name is enough
 * to be one.
 */
function namedPart(tool: JsonObject): NamedPart | undefined {
  const part = isJsonObject(tool['function']) ? tool['function'] : tool
  return isName(part['name']) ? (part as NamedPart) : undefined
}

/**
 * Among the user's own words `tools` may be anything that has a name, so there something has to say that it
 * is a definition, or nothing else.
 */
const looksLikeTool = (tool: JsonObject): boolean =>
  isJsonObject(tool['function']) || Object.keys(tool).length === 1 || marks.some(mark => tool[mark] !== undefined)

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The part of a tool, of any shape, that defines it; undefined when the value is none. */
const definingPart = (tool: unknown): NamedPart | undefined => (isJsonObject(tool) ? namedPart(tool) : undefined)

function definitionJson(part: NamedPart): string {
  const description = textOf(part['description'] ?? part['desc'])
  const parameters = textOf(part['parameters'] ?? part['parameters_json_schema'] ?? part['inputSchema'])
  return JSON.stringify({ description, parameters })
}

export interface ToolListOptions {
  /**
   * An entry with a type and no name is one of the provider's own tools: it belongs to the list and defines
   * nothing.
   */
  readonly providerTools?: boolean
  /** The list is the user's, who may call tools what is none. */
  readonly ofUser?: boolean
}

/**
 * The tools of a list, or of the JSON text of one; entries may be JSON text, too. Undefined unless every
 * entry is a tool.
 */
export function toolList(
  value: unknown,
  { providerTools = false, ofUser = false }: ToolListOptions = {},
): readonly JsonObject[] | undefined {
  const list = typeof value === 'string' ? parseTools(value) : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const tools: JsonObject[] = []
  for (const entry of list) {
    const tool = typeof entry === 'string' ? parseTools(entry) : entry
    if (!isJsonObject(tool) || (ofUser && !looksLikeTool(tool))) return undefined
    if (definingPart(tool) === undefined && !(providerTools && isName(tool['type']) && tool['name'] === undefined)) return undefined
    tools.push(tool)
  }
  return tools
}

/** The first of each name; those without a name stay. */
export function uniqueTools(tools: readonly JsonObject[]): readonly JsonObject[] {
  const names = new Set<string>()
  return tools.filter(tool => {
    const name = definingPart(tool)?.name
    if (name === undefined) return true
    const key = mapKey(name)
    if (names.has(key)) return false
    names.add(key)
    return true
  })
}

/** Definitions inside an input: its own `tools`, those of its messages, and messages that are one. */
export function definitionsOf(input: unknown): readonly ToolDefinition[] {
  const found = new TextMap<ToolDefinition>()
  const add = (tool: unknown) => {
    const part = definingPart(typeof tool === 'string' ? parseTools(tool) : tool)
    if (part !== undefined && !found.has(part.name)) found.set(part.name, { name: part.name, json: definitionJson(part) })
  }
  const addList = (value: unknown) => {
    const list = typeof value === 'string' ? parseTools(value) : value
    if (Array.isArray(list)) list.forEach(add)
  }
  if (isJsonObject(input)) addList(input['tools'])
  for (const message of messagesOf(input)) {
    if (!isJsonObject(message)) continue
    addList(message['tools'])
    const { role, content } = message
    if (role === 'tool' && isJsonObject(content) && content['type'] === 'function') add(content)
  }
  return found.values()
}

function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input
  const messages = isJsonObject(input) ? input['messages'] : undefined
  return Array.isArray(messages) ? messages : []
}
