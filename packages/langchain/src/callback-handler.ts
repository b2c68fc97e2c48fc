// Records LangChain's callbacks as observations.
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { getGlobalLogger, warnOfUnknownVersion } from '@svc/core'
import type { SvcGenerationAttributes } from '@svc/tracing'
import { failure } from './failure.ts'
import { chainInput, chainOutput, convertMessages, toolOutput } from './messages.ts'
import { modelEnd, modelStart } from './model-run.ts'
import { type NewRun, Runs } from './runs.ts'
import { type Fields, fieldsOf, hasItems, isObject, textOf } from './values.ts'

export interface CallbackHandlerParams {
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** Version of the application, for every observation. */
  readonly version?: string | undefined
  readonly traceMetadata?: Readonly<Record<string, unknown>> | undefined
}

interface RunInfo {
  readonly serialized: unknown
  readonly runId: string
  readonly parentRunId: string | undefined
  readonly tags: readonly string[] | undefined
  readonly metadata: Fields | undefined
  readonly runName: string | undefined
}

type Prompt = NonNullable<SvcGenerationAttributes['prompt']>

const testedMajors: readonly number[] = [1]

/** These keys set handler options and are not recorded. */
const specialKeys: readonly string[] = ['svcPrompt', 'svcUserId', 'svcSessionId']

function nameOf({ runName, serialized }: RunInfo): string {
  const { id } = fieldsOf(serialized)
  return textOf(runName) ?? textOf(hasItems(id) ? id.at(-1) : undefined) ?? 'Langchain Run'
}

function metadataOf({ tags, metadata }: RunInfo): Fields {
  const own = Object.entries(fieldsOf(metadata)).filter(([key]) => !specialKeys.includes(key))
  return { ...(hasItems(tags) && { tags }), ...Object.fromEntries(own) }
}

function promptOf(metadata: Fields | undefined): Prompt | undefined {
  const prompt = fieldsOf(metadata)['svcPrompt']
  return isObject(prompt) && 'name' in prompt ? (prompt as unknown as Prompt) : undefined
}

/**
 * LangChain starts no run for an agent's action, so the handler makes an id for it. The action's observation becomes a child of the agent's
 * observation.
 */
const actionId = (runId: string): string => `${runId} action`

/**
 * Pass the handler in `callbacks`. Whatever type the root run has, its observation and all observations below it get the user, the session,
 * the tags and the metadata of the trace. One handler can record many concurrent runs. The handler never throws.
 */
export class CallbackHandler extends BaseCallbackHandler {
  name = 'CallbackHandler'
  /** Trace id of the run that ended last. */
  last_trace_id: string | null = null
  private readonly params: CallbackHandlerParams
  private readonly runs = new Runs()
  /** Maps the id of a run to a prompt. The next model that starts directly below this run is linked to the prompt. */
  private readonly prompts = new Map<string, Prompt>()

  constructor(params: CallbackHandlerParams = {}) {
    // With `_awaitHandler`, LangChain calls the handler in order and in the context of the run. Without this option, LangChain calls the
    // handler later, from a queue, so observations could be incomplete when a call of LangChain returns.
    super({ _awaitHandler: true })
    this.params = params
  }

  /** Copies share their active runs. */
  override copy(): CallbackHandler {
    return this
  }

  override handleChainStart(
    serialized: unknown,
    inputs: unknown,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Record<string, unknown>,
    _runType?: string,
    runName?: string,
  ): void {
    this.safely(() => {
      const prompt = promptOf(metadata)
      if (prompt && parentRunId !== undefined && this.runs.has(parentRunId)) this.prompts.set(parentRunId, prompt)
      this.start('span', { serialized, runId, parentRunId, tags, metadata, runName }, { input: chainInput(inputs) })
    })
  }

  override handleChainEnd(outputs: unknown, runId: string, _parentRunId?: string, _tags?: string[], kwargs?: { inputs?: unknown }): void {
    // If a step reads its inputs from a stream, LangChain reports the inputs only when the step ends.
    this.end(runId, () => ({ output: chainOutput(outputs), input: kwargs?.inputs === undefined ? undefined : chainInput(kwargs.inputs) }))
  }

  override handleChainError(error: unknown, runId: string): void {
    this.end(runId, () => failure(error, true))
  }

  override handleChatModelStart(
    serialized: unknown,
    messages: unknown[],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
    runName?: string,
  ): void {
    this.startModel({ serialized, runId, parentRunId, tags, metadata, runName }, messages, extra)
  }

  override handleLLMStart(
    serialized: unknown,
    prompts: string[],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
    runName?: string,
  ): void {
    this.startModel({ serialized, runId, parentRunId, tags, metadata, runName }, prompts, extra)
  }

  override handleLLMNewToken(_token: string, _indices: unknown, runId: string): void {
    this.safely(() => this.runs.firstToken(runId))
  }

  override handleChatModelStreamEvent(event: unknown, runId: string): void {
    this.safely(() => {
      if (fieldsOf(event)['event'] !== 'message-start') this.runs.firstToken(runId)
    })
  }

  override handleLLMEnd(result: unknown, runId: string): void {
    this.end(runId, () => modelEnd(result))
  }

  override handleLLMError(error: unknown, runId: string): void {
    this.end(runId, () => failure(error, true))
  }

  override handleToolStart(
    serialized: unknown,
    input: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Record<string, unknown>,
    runName?: string,
  ): void {
    this.safely(() => this.start('tool', { serialized, runId, parentRunId, tags, metadata, runName }, { input }))
  }

  override handleToolEnd(output: unknown, runId: string): void {
    this.end(runId, () => ({ output: toolOutput(output) }))
  }

  override handleToolError(error: unknown, runId: string): void {
    this.end(runId, () => failure(error, false))
  }

  override handleRetrieverStart(
    serialized: unknown,
    query: string,
    runId: string,
    parentRunId?: string,
    tags?: string[],
    metadata?: Record<string, unknown>,
    runName?: string,
  ): void {
    this.safely(() => this.start('span', { serialized, runId, parentRunId, tags, metadata, runName }, { input: query }))
  }

  override handleRetrieverEnd(documents: unknown, runId: string): void {
    this.end(runId, () => ({ output: documents }))
  }

  override handleRetrieverError(error: unknown, runId: string): void {
    this.end(runId, () => failure(error, false))
  }

  override handleAgentAction(action: { tool: string }, runId: string, _parentRunId?: string, tags?: string[]): void {
    this.safely(() => {
      this.endAction(runId, {})
      const runName = textOf(fieldsOf(action)['tool'])
      const info = { serialized: undefined, runId: actionId(runId), parentRunId: runId, tags, metadata: undefined, runName }
      this.start('span', info, { input: action })
    })
  }

  override handleAgentEnd(action: unknown, runId: string): void {
    this.safely(() => this.endAction(runId, { output: convertMessages(action) }))
  }

  private endAction(runId: string, attributes: SvcGenerationAttributes): void {
    if (this.runs.has(actionId(runId))) this.runs.end(actionId(runId), attributes)
  }

  private startModel(info: RunInfo, messages: readonly unknown[], extra: unknown): void {
    this.safely(() => {
      const { parentRunId, metadata } = info
      warnOfUnknownVersion('@langchain/core', fieldsOf(fieldsOf(metadata)['versions'])['@langchain/core'], testedMajors)
      const registered = parentRunId === undefined ? undefined : this.prompts.get(parentRunId)
      if (registered && parentRunId !== undefined) this.prompts.delete(parentRunId)
      const prompt = registered ?? promptOf(metadata)
      this.start('generation', info, { ...modelStart(messages, extra, fieldsOf(metadata)), prompt })
    })
  }

  private start(asType: NewRun['asType'], info: RunInfo, attributes: SvcGenerationAttributes): void {
    const { userId, sessionId, tags, version, traceMetadata } = this.params
    const metadata = fieldsOf(info.metadata)
    this.runs.start({
      runId: info.runId,
      parentRunId: info.parentRunId,
      name: nameOf(info),
      asType,
      attributes: {
        ...attributes,
        metadata: metadataOf(info),
        version,
        ...(info.tags?.includes('langsmith:hidden') && { level: 'DEBUG' }),
      },
      traceValues: {
        userId: textOf(metadata['svcUserId']) ?? userId,
        sessionId: textOf(metadata['svcSessionId']) ?? sessionId,
        tags: [...new Set([...(info.tags ?? []), ...(tags ?? [])])],
        version,
        metadata: traceMetadata,
      },
    })
  }

  private end(runId: string, attributes: () => SvcGenerationAttributes): void {
    let recorded: SvcGenerationAttributes = {}
    this.safely(() => {
      recorded = attributes()
    })
    this.safely(() => {
      this.prompts.delete(runId)
      this.endAction(runId, {})
      this.last_trace_id = this.runs.end(runId, recorded) ?? this.last_trace_id
    })
  }

  private safely(record: () => void): void {
    try {
      record()
    } catch (error) {
      getGlobalLogger().debug('A callback of LangChain is not recorded.', error)
    }
  }
}
