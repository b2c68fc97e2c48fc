// Creates the responses of the model. Equal requests get equal responses, so that two recordings differ only in ids and times.

const conversationText = request => JSON.stringify(request.messages ?? request.input ?? '')

const declaredTools = request => (request.tools ?? []).map(tool => tool.function?.name ?? tool.name)

const hasToolResult = text => /"role":"tool"|"function_call_output"|"tool_result"/.test(text)

/** Returns the response to a request. If the request offers tools and contains no result of a tool, the response is a tool call. */
export function answerTo(request) {
  const text = conversationText(request)
  if (text.includes('unknown-model') || request.model === 'unknown-model') return { kind: 'error' }
  const [tool] = declaredTools(request)
  if (tool !== undefined && !hasToolResult(text)) {
    const args = tool === 'final_answer' ? { answer: 'Sunny, 21 °C.' } : { city: 'Zürich' }
    return { kind: 'tool', tool, callId: 'call_fixture_1', args }
  }
  const schema = request.response_format?.type ?? request.text?.format?.type
  if (schema === 'json_schema' || schema === 'json_object') return { kind: 'json', text: '{"city":"Zürich","degrees":21}' }
  return { kind: 'text', text: 'It is sunny in Zürich: 21 °C. ☀️' }
}

export const errorBody = {
  error: { message: 'The model `unknown-model` does not exist.', type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
}

/** Token counts. All counts are different and not zero. If a mapping confuses two counts, a test therefore detects it. */
export const usage = { input: 42, cachedInput: 16, cacheWrite: 4, output: 17, reasoning: 8 }

export const vector = Array.from({ length: 8 }, (_, i) => (i + 1) / 16)

export const pieces = text => text.match(/.{1,8}/gsu) ?? []
