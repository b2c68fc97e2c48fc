// Converts all frameworks' tool definitions to one form.

import { mapKey, TextMap } from '@svc-server/json'
import { isJsonObject, type JsonObject, jsonText } from '../span-view/json-text.ts'
import { derivedOf, type NamedPart, parseTools, type ToolDefinition } from './tool-texts.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : value == null ? '' : (jsonText(value) ?? ''))

/** Names for the schema of a tool's arguments, the most common first. */
const schemaNames = [
  ...['parameters', 'parameters_json_schema', 'parametersJsonSchema', 'inputSchema', 'input_schema'],
  ...['args_schema', 'argsSchema', 'parameter_definitions', 'json_schema', 'jsonSchema', 'schema', 'arguments_schema', 'inputTypeSchema'],
  ...['inputs', 'args', 'format'],
] as const
/** A named object with one of these members is a tool definition. */
const marks = ['type', 'description', 'desc', ...schemaNames] as const

const named = (part: JsonObject): JsonObject =>
  part['name'] === undefined && isName(part['toolName']) ? { ...part, name: part['toolName'] } : part

/** Members that contain a tool's definitions, in the forms of OpenAI, Bedrock and Gemini. */
const wrappers = ['function', 'toolSpec', 'tool_spec', 'custom', 'functionDeclarations', 'function_declarations', 'tool', 'data'] as const
/** If a tool object has no name, these members contain the definition. */
const namelessWrappers = ['metadata', 'declaration', 'spec', 'definition'] as const

/**
 * Returns the definitions inside the tool object, such as the value of `function`. If there are none, the object itself is the definition.
 * Definitions without a name are left out. In a list of tools, an object with a name counts as a tool, even without other members. For user
 * metadata, `looksLikeTool` is stricter.
 */
function namedParts(tool: unknown): readonly NamedPart[] {
  if (!isJsonObject(tool)) return []
  const kept = derivedOf(tool)
  if (kept === undefined) return partsOf(tool)
  kept.parts ??= partsOf(tool)
  return kept.parts
}

function partsOf(tool: JsonObject): readonly NamedPart[] {
  const wrapped =
    wrappers.map(name => tool[name]).find(part => isJsonObject(part) || (Array.isArray(part) && part.every(isJsonObject))) ??
    (tool['name'] === undefined ? namelessWrappers.map(name => tool[name]).find(isJsonObject) : undefined)
  const parts = (wrapped === undefined ? [tool] : Array.isArray(wrapped) ? wrapped : [wrapped]) as readonly JsonObject[]
  return parts.map(named).filter((part): part is NamedPart => isName(part['name']))
}

/**
 * In user metadata, `tools` can contain any objects with names. Such an object is a tool only if it has one of the `marks`, or no member
 * except the name.
 */
const looksLikeTool = (tool: JsonObject): boolean =>
  wrappers.some(name => name !== 'data' && typeof tool[name] === 'object' && tool[name] !== null) ||
  Object.keys(tool).length === 1 ||
  marks.some(mark => tool[mark] !== undefined)

const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''

function definitionJson(part: NamedPart): string {
  const description = textOf(part['description'] ?? part['desc'])
  return JSON.stringify({ description, parameters: textOf(schemaOf(part)) })
}

/** Finds the schema of the tool's parameters. If no member has one of the `schemaNames`, recognizes the schema by its value. */
function schemaOf(part: JsonObject): unknown {
  for (const name of schemaNames) {
    const schema = part[name]
    if (schema === undefined || schema === null) continue
    // Bedrock wraps the schema: `{json: …}`.
    return isJsonObject(schema) && Object.keys(schema).length === 1 && schema['json'] != null ? schema['json'] : schema
  }
  const values = Object.values(part)
  return values.find(isSchema) ?? values.flatMap(value => (isJsonObject(value) ? Object.values(value) : [])).find(isSchema)
}

const isSchema = (value: unknown): boolean => isJsonObject(value) && (isJsonObject(value['properties']) || value['type'] === 'object')

/**
 * True for a built-in tool of a provider. Such a tool has no definition. It has a type and no name, or it has only settings, as in
 * `{googleSearch: {}}` or `{cachePoint: {type: 'default'}}`.
 */
function isProviderTool(tool: JsonObject): boolean {
  if (tool['name'] !== undefined) return false
  if (isName(tool['type'])) return true
  const settings = Object.values(tool)
  return settings.length === 1 && isJsonObject(settings[0])
}

export interface ToolListOptions {
  /** True to accept a list that has only built-in tools. */
  readonly providerTools?: boolean
  /** True for user metadata, in which `tools` can contain something other than tool definitions. */
  readonly ofUser?: boolean
}

/**
 * Matches an entry that is only a name. In a list that also has definitions, such a name stands for a built-in tool. A list that has only
 * names defines no tools.
 */
const bareName = /^[A-Za-z_][\w.:/-]{0,127}$/

/** The list can be JSON text. Its entries can be JSON texts, or names of tools. Returns undefined if an entry is not a tool. */
export function toolList(
  value: unknown,
  { providerTools = false, ofUser = false }: ToolListOptions = {},
): readonly JsonObject[] | undefined {
  const list = typeof value === 'string' ? parseTools(value) : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  const tools: JsonObject[] = []
  let defines = providerTools
  for (const entry of list) {
    if (!ofUser && typeof entry === 'string' && bareName.test(entry)) {
      tools.push({ name: entry })
      continue
    }
    const tool = typeof entry === 'string' ? parseTools(entry) : entry
    if (!isJsonObject(tool) || (ofUser && !looksLikeTool(tool))) return undefined
    if (namedParts(tool).length > 0) defines = true
    else if (ofUser || !isProviderTool(tool)) return undefined
    tools.push(tool)
  }
  return defines ? tools : undefined
}

/** The attribute can be a list, an object that contains a list, a map from names to tools, or a single tool. */
export function listedTools(text: string, options?: ToolListOptions): readonly JsonObject[] | undefined {
  const value = parseTools(text)
  if (Array.isArray(value)) return toolList(value.includes(null) ? value.filter(entry => entry !== null) : value, options)
  if (!isJsonObject(value)) return undefined
  if (namedParts(value).length > 0) return [value]
  const held = value['tools'] ?? value['functions']
  if (held !== undefined) return Array.isArray(held) ? toolList(held, options) : undefined
  const named = Object.entries(value)
  if (named.length === 0 || !named.every(([, tool]) => isJsonObject(tool) && looksLikeTool(tool))) return undefined
  return toolList(
    named.map(([name, tool]) => ({ name, ...(tool as JsonObject) })),
    options,
  )
}

/** Keeps the first tool of each name, and all tools without a name. */
export function uniqueTools(tools: readonly JsonObject[]): readonly JsonObject[] {
  const names = new Set<string>()
  return tools.filter(tool => {
    const parts = namedParts(tool)
    if (parts.length !== 1) return true
    const key = mapKey(parts[0]!.name)
    if (names.has(key)) return false
    names.add(key)
    return true
  })
}

function definitionsIn(tool: unknown): readonly ToolDefinition[] {
  const kept = isJsonObject(tool) ? derivedOf(tool) : undefined
  if (kept?.definitions !== undefined) return kept.definitions
  const definitions = namedParts(tool).map(part => ({ name: part.name, json: definitionJson(part) }))
  if (kept !== undefined) kept.definitions = definitions
  return definitions
}

/** Searches the input's `tools`, the `tools` of its messages, and messages that are definitions themselves. */
export function definitionsOf(input: unknown): readonly ToolDefinition[] {
  const found = new TextMap<ToolDefinition>()
  const add = (tool: unknown) => {
    for (const definition of definitionsIn(typeof tool === 'string' ? parseTools(tool) : tool)) {
      if (!found.has(definition.name)) found.set(definition.name, definition)
    }
  }
  const addList = (value: unknown) => {
    const list = typeof value === 'string' ? parseTools(value) : value
    if (Array.isArray(list)) list.forEach(add)
  }
  if (isJsonObject(input)) {
    addList(input['tools'] ?? input['functions'])
    for (const name of settingsNames) {
      const place = input[name]
      if (isJsonObject(place)) addList(place['tools'] ?? place['functions'])
    }
  }
  for (const message of messagesOf(input)) {
    if (!isJsonObject(message)) continue
    addList(message['tools'])
    const { role, content } = message
    if (role === 'tool' && isJsonObject(content) && content['type'] === 'function') add(content)
  }
  return found.values()
}

/** Members that contain the tools in requests of Gemini and Bedrock. */
const settingsNames = ['config', 'toolConfig', 'tool_config', 'generationConfig'] as const

function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input
  const messages = isJsonObject(input) ? input['messages'] : undefined
  return Array.isArray(messages) ? messages : []
}
