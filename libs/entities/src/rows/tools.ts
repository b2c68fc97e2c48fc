// Extracts tool definitions from the input of an observation, and tool calls from its output. A value is parsed only if its text contains a
// word that occurs in tool definitions or tool calls.
import { parseJson } from '@svc-server/observations/json-text'
import { callsOf } from '@svc-server/observations/tool-calls'
import { definitionsOf } from '@svc-server/observations/tool-definitions'
import type { ToolColumns } from './tables.ts'

const container = /^\s*[[{]/
const definitionWords = /"tools"|"functions"|"role"\s*:\s*"tool"/
const callWords = /"tool|"function|"arguments"|_tool_use"|_call"/

const jsonWith = (text: string | null, words: RegExp): unknown =>
  text !== null && container.test(text) && words.test(text) ? parseJson(text) : undefined

export function toolsOf(input: string | null, output: string | null): ToolColumns {
  const given = jsonWith(input, definitionWords)
  const answered = jsonWith(output, callWords)
  const calls = answered === undefined ? [] : callsOf(answered)
  return {
    tool_definitions: given === undefined ? [] : definitionsOf(given).map(({ name, json }) => [name, json] as const),
    tool_calls: calls.map(({ json }) => json),
    tool_call_names: calls.map(({ name }) => name),
  }
}
