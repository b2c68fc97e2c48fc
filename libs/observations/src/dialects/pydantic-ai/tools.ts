import { attributeText } from '../../rules/attribute-text.ts'
import { toolList } from '../../rules/tool-definitions.ts'
import { type FoundTools, noTools, type ToolSource } from '../../rules/tool-source.ts'
import { parseTools } from '../../rules/tool-texts.ts'
import { isJsonObject, jsonText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { SpanView } from '../../span-view/span-view.ts'
import './keys.ts'

const requestParametersKey = keyNumber('model_request_parameters')

export const requestTools: ToolSource = { name: 'model_request_parameters', find: toolsOfRequestParameters }

/** Finds the tools in the request's parameters. All other parameters stay in the metadata. */
function toolsOfRequestParameters(span: SpanView): readonly FoundTools[] {
  const entry = span.own.get(requestParametersKey)
  if (entry < 0) return noTools
  const parameters = parseTools(attributeText(span, entry))
  if (!isJsonObject(parameters)) return noTools
  const { function_tools: list, ...others } = parameters
  const tools = toolList(list)
  const rest = jsonText(others)
  return tools === undefined || rest === undefined
    ? []
    : [{ name: 'model_request_parameters', tools, leave: () => span.moved.set(entry, rest) }]
}
