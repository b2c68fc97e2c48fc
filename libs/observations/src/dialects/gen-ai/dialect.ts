// The OpenTelemetry semantic conventions for generative AI: attributes, older attributes with the path in the key, and span
// events.
import { firstTokenKey, saidDelay } from '../../rules/completion-start.ts'
import type { Dialect } from '../../rules/dialect.ts'
import { rebuilt } from '../../rules/rebuilt.ts'
import { type Rule, spanAttribute, whenPresent } from '../../rules/rules.ts'
import { currencyKey, saidMoney } from '../../rules/said-money.ts'
import { askedTier, askedTierKey, servedTier, servedTierKey, tierInAnswer } from '../../rules/served-tier.ts'
import { eventKinds, eventsOf } from '../../rules/span-events.ts'
import { maxTimeUs } from '../../rules/time.ts'
import { toolListParts } from '../../rules/tool-parts.ts'
import { toolAttribute } from '../../rules/tool-source.ts'
import { saidCounts } from '../../rules/usage-rules.ts'
import { wordOf, words } from '../../rules/words.ts'
import { keyNumber } from '../../span-view/keys.ts'
import type { ObservationType } from '../../span-view/observation-type.ts'
import { keyFlag } from '../../span-view/vocabulary.ts'
import { detailsEvent, messageEvents } from './events.ts'
import { genAiKeys } from './keys.ts'
import { readMessages } from './messages.ts'

const operationKey = keyNumber('gen_ai.operation.name')
const operations = words<ObservationType>({
  chat: 'GENERATION',
  completion: 'GENERATION',
  text_completion: 'GENERATION',
  generate_content: 'GENERATION',
  generate: 'GENERATION',
  responses: 'GENERATION',
  image_generation: 'GENERATION',
  transcription: 'GENERATION',
  speech: 'GENERATION',
  embeddings: 'EMBEDDING',
  embedding: 'EMBEDDING',
  invoke_agent: 'AGENT',
  create_agent: 'AGENT',
  invoke_workflow: 'CHAIN',
  execute_tool: 'TOOL',
  retrieval: 'RETRIEVER',
  retrieve: 'RETRIEVER',
  rerank: 'RETRIEVER',
  search_memory: 'RETRIEVER',
  evaluate: 'EVALUATOR',
  evaluation: 'EVALUATOR',
  guardrail: 'GUARDRAIL',
  apply_guardrail: 'GUARDRAIL',
})
const repeating = words({ invoke_agent: true, agent_step: true })

/** Keys below names of conventions, gateways, and frameworks, and keys that mention dollars. */
const moneyKey =
  /^(?:gen_ai|llm|ai|operation|litellm|openrouter|response|usage|openai|anthropic|traceloop|haystack|mastra|pydantic_ai|logfire|genkit|crewai|agno|strands|portkey)[._](?:[\w.-]*(?:(?<![^._])(?:cost|price|spend)(?![^._])|(?<=[a-z])(?:Cost|Price)(?![a-z]))[\w.-]*)$|^(?:llm_)?(?:total_)?cost_usd$/
/** `cost`, `total_cost`, `inputCost`, `cost.output`. */
const bareMoneyKey =
  /^(?:(?:total|input|output|prompt|completion|response|estimated)[._]?)*costs?(?:[._]?(?:total|input|output|usd|in[._]usd))?$/i
const firstWord =
  /^(?:gen_ai|llm|ai|operation|litellm|openrouter|openai|anthropic|traceloop|haystack|mastra|pydantic_ai|logfire|genkit|crewai|agno|strands|portkey)[._]/

const firstToken = eventKinds(
  'First Token Stream Event',
  'ai.stream.firstChunk',
  'gen_ai.content.completion.chunk',
  'llm.content.completion.chunk',
  'gen_ai.first_token',
)

const firstTokenEvent: Rule<number> = {
  name: 'event of the first token',
  read(span) {
    if (span.events.length === 0) return undefined
    const times = eventsOf(span, firstToken).filter(({ timeUs }) => timeUs > 0 && timeUs <= maxTimeUs)
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
      {
        prefix: 'gen_ai.request.',
        flags: keyFlag.modelParameter,
        except: ['model'],
        overriddenBy: 'llm.invocation_parameters.',
      },
      { prefix: 'gen_ai.usage.', flags: keyFlag.usage },
      // All counts in one map.
      { prefix: 'gen_ai.usage', flags: keyFlag.usage },
      { prefix: 'gen_ai.cost.', flags: keyFlag.money },
      { prefix: 'gen_ai.tool.definitions.', flags: keyFlag.tool | keyFlag.toolListPart },
      { prefix: 'gen_ai.tool.definitions', flags: keyFlag.tool },
      { prefix: 'gen_ai.prompt.', flags: keyFlag.leaves | keyFlag.promptPart },
      { prefix: 'gen_ai.completion.', flags: keyFlag.leaves | keyFlag.completionPart },
    ],
    // `operation.cost`, `llm.response.cost`, `litellm.response_cost` …
    also: [
      { pattern: firstTokenKey, flags: keyFlag.firstToken },
      { pattern: servedTierKey, flags: keyFlag.servedTier },
      { pattern: askedTierKey, flags: keyFlag.askedTier },
      { pattern: currencyKey, flags: keyFlag.currency },
      // Otherwise a parameter of the request.
      { pattern: /^gen_ai\.request\.tools$/, flags: keyFlag.tool },
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
  ],
  completionStart: [
    [30, saidDelay],
    [40, firstTokenEvent],
  ],
  usage: [[50, { name: 'gen_ai.usage.*, llm.token_count.*', counts: (span, said) => saidCounts(span, said) }]],
  cost: [[20, saidMoney]],
  served: [
    [10, servedTier],
    [30, tierInAnswer],
  ],
  asked: [[10, askedTier]],
  tools: [
    [30, toolAttribute('gen_ai.tool.definitions')],
    [32, toolAttribute('gen_ai.request.tools')],
    [34, toolListParts],
  ],
  // Model and usage of an agent's span are those of its children.
  repeats: [[10, span => wordOf(span, operationKey, repeating) === true]],
}
