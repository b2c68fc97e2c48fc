// The tools that a model received, and its tool calls. Most spans have neither, so JSON is parsed only if a byte search finds signs of
// tools.
import { ArrayColumn, type BlockBuilder, TextMapColumn } from '@svc-server/column-store/native'
import { rulesOf } from '../dialects/registry.ts'
import { jsonOutput } from '../rules/json-attribute.ts'
import { definitionsOf, toolList } from '../rules/tool-definitions.ts'
import type { FoundTools } from '../rules/tool-source.ts'
import { contains, wordsOf } from '../span-view/byte-search.ts'
import type { Content } from '../span-view/content.ts'
import { parseJson, wireText } from '../span-view/json-text.ts'
import { scratchWriter } from '../span-view/render-text.ts'
import type { SpanView } from '../span-view/span-view.ts'
import { keyFlag } from '../span-view/vocabulary.ts'
import type { ColumnWriter } from './column-writer.ts'
import { toolsName, type UserMetadata } from './metadata/user-metadata.ts'
import { callsOf, type ToolCall } from './tools/calls.ts'
import { findList, findObject, firstByte, isJsonContainer, isListUnder, isTextMessage, startsWithKey } from './tools/json-lists.ts'
import { PlainCalls } from './tools/plain-calls.ts'
import { addTools, withTools } from './tools/with-tools.ts'

const toolSources = rulesOf('tools')

/** Tools in the user's metadata come first; of several tools with the same name, the first tool wins. */
function toolsOfMetadata(span: SpanView, user: UserMetadata): readonly FoundTools[] {
  const tools = toolList(user.read(span, toolsName), { ofUser: true })
  return tools === undefined ? [] : [{ name: 'tools', tools, leave: () => user.remove(toolsName) }]
}

/** The keys of lists that can contain tool calls. */
const callLists = ['tool_calls', 'toolCalls']
const partLists = ['parts', 'content', 'message', ...callLists]
const toolLists = ['tools', 'functions']
const contents = ['content']
/** Every tool call contains one of these words, so an output without these words is not parsed. */
const callWords = wordsOf('FunctionCallContent', '"tool', '"function', '"arguments"', '_tool_use"', '_call"')
/** The names of tools are under the keys `name` and `toolName`, which both end with `ame`. */
const endsOfNames = wordsOf('ame"')

export function toolColumns(block: BlockBuilder, user: UserMetadata): ColumnWriter {
  const definitions = block.column('tool_definitions', TextMapColumn)
  const calls = block.column('tool_calls', ArrayColumn)
  const callNames = block.column('tool_call_names', ArrayColumn)

  const plain = new PlainCalls()
  const scratch = scratchWriter()

  /**
   * If a message ends with tool calls, writes these tool calls to the columns, without parsing the text before the calls. Returns false,
   * and writes nothing, if the content has a different form or if only the full parser can read the calls.
   */
  function writePlainCalls(row: number, { present, source, start, end }: Content): boolean {
    if (!present || source.bytes[end - 1] !== closing || !startsWithKey(source, start, end, 'role')) return false
    const list = findList(source, start, end, partLists)
    if (list < 0 || !isListUnder(source, start, list, callLists) || !plain.read(source, list, end - 1)) return false
    const callOut = calls.open(row)
    const nameOut = callNames.open(row)
    for (let call = 0; call < plain.length; call++) {
      scratch.rewind()
      plain.writeCall(scratch, call)
      callOut.text(scratch, 0, scratch.length)
      nameOut.text(source, plain.nameStart(call), plain.nameEnd(call))
    }
    calls.added(plain.length)
    callNames.added(plain.length)
    return true
  }

  return (row, span) => {
    const moved = moveTools(span, user)
    const input = moved ?? inputWithDefinitions(span.input)
    if (input !== undefined) {
      const found = definitionsOf(input)
      for (const { name, json } of found) definitions.set(row, name, json)
      if (found.length > 0 && moved === undefined) span.explanation?.found('tool_definitions', 'tools in the input')
    }
    const { output } = span
    // An output is usually a text message, or a message that ends with tool calls. These two forms are handled first, without a full parse.
    if (output.present && isTextMessage(output.source, output.start, output.end)) return
    if (writePlainCalls(row, output)) {
      explainCalls(span)
      return
    }
    const found = callsIn(span)
    if (found.length === 0) return
    const callOut = calls.open(row)
    const nameOut = callNames.open(row)
    for (const { name, json } of found) {
      callOut.string(json)
      nameOut.string(name)
    }
    calls.added(found.length)
    callNames.added(found.length)
    explainCalls(span)
  }
}

function explainCalls({ explanation }: SpanView): void {
  for (const column of ['tool_calls', 'tool_call_names']) explanation?.found(column, 'calls in the output')
}

/** Moves tool definitions from other places of the span into the input. Returns the new input, or undefined if no tools were moved. */
function moveTools(span: SpanView, user: UserMetadata): unknown {
  const besides = !span.sdkScope && ((span.attributes.seenFlags & keyFlag.tool) !== 0 || span.eventTools)
  if (!besides && !user.has(toolsName)) return undefined
  const found: FoundTools[] = user.has(toolsName) ? [...toolsOfMetadata(span, user)] : []
  if (besides) {
    const hasTools = hasToolList(span.input)
    for (let i = 0; i < toolSources.length; i++) {
      const source = toolSources[i]!
      if (hasTools && source.repeatsInput) continue
      for (const tools of source.find(span)) found.push(tools)
    }
  }
  if (found.length === 0) return undefined
  const { input } = span
  const { partFlags } = input
  const tools = found.length === 1 ? found[0]!.tools : found.flatMap(one => one.tools)
  const all = addTools(input, tools)
  const moved = all === undefined ? withTools(input.present ? input.text() : undefined, tools) : undefined
  if (all === undefined && moved === undefined) return undefined
  for (const { leave } of found) leave()
  if (moved !== undefined) input.string(moved.text)
  // The new input contains the messages of the old input, so the `partFlags` of the old input also applies to the new input.
  input.partFlags = partFlags
  span.explanation?.found(
    'tool_definitions',
    'tools beside the input',
    found.map(({ name }) => name),
  )
  return moved?.value ?? { tools: all }
}

const hasToolList = ({ present, source, start, end }: Content): boolean =>
  present && isJsonContainer(firstByte(source, start, end)) && findList(source, start, end, toolLists) >= 0

/** Tool definitions can be in a list such as `tools`, or in a message of role `tool` whose content is an object. */
function inputWithDefinitions({ present, source, start, end }: Content): unknown {
  if (!present || !isJsonContainer(firstByte(source, start, end))) return undefined
  const has = findList(source, start, end, toolLists) >= 0 || findObject(source, start, end, contents) >= 0
  return has ? parseJson(wireText(source, start, end)) : undefined
}

const none: readonly ToolCall[] = []
const closing = 0x7d

function callsIn(span: SpanView): readonly ToolCall[] {
  const { present, source, start, end } = span.output
  if (!present || !isJsonContainer(firstByte(source, start, end))) return none
  // A message has tool calls only if it has one of the lists in `partLists`, or if the message is itself a tool call and contains the
  // tool's name. A typical message has neither such a list nor a tool's name, so it is not parsed.
  if (
    startsWithKey(source, start, end, 'role') &&
    findList(source, start, end, partLists) < 0 &&
    !contains(source, start, end, endsOfNames)
  )
    return none
  if (!contains(source, start, end, callWords)) return none
  return callsOf(jsonOutput(span))
}
