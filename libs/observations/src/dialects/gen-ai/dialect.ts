// OpenTelemetry's conventions for generative AI: attributes, span events, and older attributes with list positions in their keys.
import { firstTokenKey, saidDelay } from '../../rules/completion-start.ts'
import type { Dialect } from '../../rules/dialect.ts'
import { documentParts } from '../../rules/document-parts.ts'
import { rebuilt } from '../../rules/rebuilt.ts'
import { type Rule, spanAttribute, whenPresent } from '../../rules/rules.ts'
import { currencyKey, isModelCall, moneyInUsage, saidMoney } from '../../rules/said-money.ts'
import { askedTier, askedTierKey, servedTier, servedTierKey, tierInAnswer, tierInUsage } from '../../rules/served-tier.ts'
import { eventKinds, eventsOf } from '../../rules/span-events.ts'
import { maxTimeUs } from '../../rules/time.ts'
import { toolListParts } from '../../rules/tool-parts.ts'
import { toolAttribute } from '../../rules/tool-source.ts'
import { saidCounts } from '../../rules/usage-rules.ts'
import { type Words, wordOf, words } from '../../rules/words.ts'
import { wireText } from '../../span-view/json-text.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { detailsEvent, messageEvents, toolsOfEvents } from './events.ts'
import { genAiKeys } from './keys.ts'
import { readMessages } from './messages.ts'

const operationKey = keyNumber('gen_ai.operation.name')
const operations = words<ObservationType>({
  chat: 'GENERATION',
  completion: 'GENERATION',
  completions: 'GENERATION',
  chat_completion: 'GENERATION',
  'chat.completions': 'GENERATION',
  text_completion: 'GENERATION',
  generate_content: 'GENERATION',
  generate: 'GENERATION',
  responses: 'GENERATION',
  messages: 'GENERATION',
  converse: 'GENERATION',
  invoke_model: 'GENERATION',
  image_generation: 'GENERATION',
  generate_image: 'GENERATION',
  transcription: 'GENERATION',
  transcribe: 'GENERATION',
  speech: 'GENERATION',
  text_to_speech: 'GENERATION',
  embeddings: 'EMBEDDING',
  embedding: 'EMBEDDING',
  embed: 'EMBEDDING',
  invoke_agent: 'AGENT',
  create_agent: 'AGENT',
  invoke_workflow: 'CHAIN',
  execute_tool: 'TOOL',
  call_tool: 'TOOL',
  tool_call: 'TOOL',
  'tools/call': 'TOOL',
  invoke_tool: 'TOOL',
  tool: 'TOOL',
  retrieval: 'RETRIEVER',
  retrieve: 'RETRIEVER',
  rerank: 'RETRIEVER',
  reranking: 'RETRIEVER',
  vector_search: 'RETRIEVER',
  search_memory: 'RETRIEVER',
  evaluate: 'EVALUATOR',
  evaluation: 'EVALUATOR',
  guardrail: 'GUARDRAIL',
  apply_guardrail: 'GUARDRAIL',
})
const repeating = words({ invoke_agent: true, agent_step: true })

/**
 * Names of conventions, providers, gateways, and frameworks. If a key begins with one of these names and contains a word for money (see
 * `moneyKey`), the value of the key is the cost of a model call.
 */
const namespaces =
  'gen_ai|llm|ai|operation|response|usage|gateway|litellm|openrouter|openai|anthropic|google|gemini|vertex|gcp|bedrock|azure|mistral|' +
  'cohere|xai|groq|deepseek|perplexity|traceloop|haystack|mastra|pydantic_ai|logfire|genkit|crewai|agno|strands|portkey|helicone|' +
  'braintrust|langsmith|langchain|langgraph|opik|phoenix|arize|agentops|pipecat|livekit|lk|vercel'
/**
 * Matches a key that begins with one of the namespaces and contains the word `cost`, `price`, or `spend`. Also matches the key `cost_usd`,
 * which can have the prefixes `llm_` and `total_`.
 */
const moneyKey = new RegExp(
  `^(?:${namespaces})[._](?:[\\w.-]*(?:(?<![^._])(?:cost|price|spend)(?![^._])|(?<=[a-z])(?:Cost|Price)(?![a-z]))[\\w.-]*)$|^(?:llm_)?(?:total_)?cost_usd$`,
)
/** `cost`, `total_cost`, `inputCost`, `cost.output`. */
const bareMoneyKey =
  /^(?:(?:total|input|output|prompt|completion|response|estimated)[._]?)*costs?(?:[._]?(?:total|input|output|usd|in[._]usd))?$/i
const firstWord = new RegExp(`^(?:(?:${namespaces}|ai\\.gateway)[._])+`)

const knownFirst = eventKinds(
  'First Token Stream Event',
  'ai.stream.firstChunk',
  'gen_ai.content.completion.chunk',
  'llm.content.completion.chunk',
  'gen_ai.first_token',
)
/** On a model call, events such as `first_chunk` or `llm.first_token` mark the first token. */
const firstTokenName = /first[._ -]?(?:(?:output|response|content)[._ -]?)?(?:token|chunk)(?![a-z])/i
const longestEventName = 64
/** Searching bytes is cheaper than creating a text. */
const find = Buffer.prototype.includes as unknown as (this: Uint8Array, what: string) => boolean
const firstOfCall: Words<string> = (source, start, end) => {
  const known = knownFirst(source, start, end)
  if (known !== undefined || end - start > longestEventName || !find.call(source.bytes.subarray(start, end), 'irst')) return known
  const name = wireText(source, start, end)
  return firstTokenName.test(name) ? name : undefined
}

const firstTokenEvent: Rule<number> = {
  name: 'event of the first token',
  read(span) {
    if (span.events.length === 0) return undefined
    const times = eventsOf<string>(span, isModelCall(span) ? firstOfCall : knownFirst).filter(
      ({ timeUs }) => timeUs > 0 && timeUs <= maxTimeUs,
    )
    const first = times.reduce<(typeof times)[number] | undefined>((a, b) => (a === undefined || b.timeUs < a.timeUs ? b : a), undefined)
    if (first !== undefined) span.explanation?.use(`event ${first.kind}`)
    return first?.timeUs
  },
}

export const genAi: Dialect = {
  name: 'gen_ai',
  keys: genAiKeys,
  vocabulary: {
    prefixes: [
      { prefix: 'gen_ai.request.tools.', flags: keyFlag.tool | keyFlag.toolListPart },
      { prefix: 'gen_ai.retrieval.documents.', flags: keyFlag.documentPart },
      {
        prefix: 'gen_ai.request.',
        flags: keyFlag.modelParameter,
        except: ['model'],
        overriddenBy: 'llm.invocation_parameters.',
      },
      { prefix: 'gen_ai.usage.', flags: keyFlag.usage },
      // The key `gen_ai.usage` itself contains a map of all counts.
      { prefix: 'gen_ai.usage', flags: keyFlag.usage },
      { prefix: 'gen_ai.cost.', flags: keyFlag.money },
      { prefix: 'gen_ai.tool.definitions.', flags: keyFlag.tool | keyFlag.toolListPart },
      { prefix: 'gen_ai.tool.definitions', flags: keyFlag.tool },
      { prefix: 'gen_ai.prompt.', flags: keyFlag.leaves | keyFlag.promptPart },
      { prefix: 'gen_ai.completion.', flags: keyFlag.leaves | keyFlag.completionPart, except: ['start_time'] },
    ],
    // `operation.cost`, `llm.response.cost`, `litellm.response_cost` …
    also: [
      { pattern: firstTokenKey, flags: keyFlag.firstToken },
      { pattern: servedTierKey, flags: keyFlag.servedTier },
      { pattern: askedTierKey, flags: keyFlag.askedTier },
      { pattern: currencyKey, flags: keyFlag.currency },
      // If a span's tools are not moved into the input, `gen_ai.request.tools` and `gen_ai.request.functions` are ordinary request
      // parameters.
      { pattern: /^gen_ai\.(?:request\.(?:tools|functions)|tools)$/, flags: keyFlag.tool },
    ],
    patterns: [
      { pattern: moneyKey, flags: keyFlag.money, nameOf: key => key.replace(firstWord, '') },
      { pattern: bareMoneyKey, flags: keyFlag.money | keyFlag.bareMoney },
    ],
  },
  attributes: {
    session_id: [[30, spanAttribute('gen_ai.conversation.id')]],
    name: [[10, spanAttribute('gen_ai.tool.name')]],
    provided_model_name: [
      [20, spanAttribute('gen_ai.response.model')],
      [40, spanAttribute('gen_ai.request.model')],
    ],
    names_a_model: [
      [20, spanAttribute('gen_ai.request.model', 'present')],
      [30, spanAttribute('gen_ai.response.model', 'present')],
    ],
  },
  type: [
    [40, { name: 'gen_ai.operation.name', read: span => wordOf(span, operationKey, operations) }],
    [75, whenPresent('a retrieval is described', ['gen_ai.retrieval.query.text', 'gen_ai.retrieval.documents'], 'RETRIEVER')],
    [80, whenPresent('a tool is named', ['gen_ai.tool.name', 'gen_ai.tool.call.id'], 'TOOL')],
  ],
  inputOutput: [
    [50, detailsEvent],
    [60, messageEvents],
    [
      180,
      rebuilt('gen_ai prompt and completion', {
        input: { key: 'gen_ai.prompt', flag: keyFlag.promptPart },
        output: { key: 'gen_ai.completion', flag: keyFlag.completionPart },
      }),
    ],
    [200, { name: 'gen_ai messages', read: readMessages }],
    [220, documentParts],
  ],
  completionStart: [
    [30, saidDelay],
    [40, firstTokenEvent],
  ],
  usage: [[50, { name: 'gen_ai.usage.*, llm.token_count.*', counts: (span, said) => saidCounts(span, said) }]],
  cost: [
    [20, saidMoney],
    [90, moneyInUsage],
  ],
  served: [
    [10, servedTier],
    [15, tierInUsage],
    [30, tierInAnswer],
  ],
  asked: [[10, askedTier]],
  tools: [
    [30, toolAttribute('gen_ai.tool.definitions')],
    [32, toolAttribute('gen_ai.request.tools')],
    [33, toolAttribute('gen_ai.request.functions')],
    [34, toolListParts],
    [35, toolAttribute('gen_ai.tools')],
    [36, toolsOfEvents],
  ],
  repeats: [[10, span => wordOf(span, operationKey, repeating) === true]],
}
