// A run refers to its parent by id, because LangChain's callbacks run outside the run's context.
import { getGlobalLogger, type PropagateAttributesParams, propagateAttributes } from '@svc/core'
import { type SvcGeneration, type SvcGenerationAttributes, type SvcSpan, type SvcTool, startObservation } from '@svc/tracing'
import { withTraceValues } from './trace-values.ts'

/** Maximum number of active runs. LangChain does not report the end of abandoned streams, so their runs would otherwise accumulate. */
const mostRuns = 10_000

interface Run {
  readonly observation: SvcSpan | SvcGeneration | SvcTool
  readonly parentRunId: string | undefined
  readonly traceValues: PropagateAttributesParams
  hasFirstToken: boolean
}

export interface NewRun {
  readonly runId: string
  readonly parentRunId: string | undefined
  readonly name: string
  readonly asType: 'span' | 'generation' | 'tool'
  readonly attributes: SvcGenerationAttributes
  /** Values for all observations of the trace. They are used only if this run is the root. */
  readonly traceValues: PropagateAttributesParams
}

export class Runs {
  private readonly runs = new Map<string, Run>()

  /** A run with an unknown parent is a root. The observation of a root becomes a child of the active observation, if there is one. */
  start({ runId, parentRunId, name, asType, attributes, traceValues }: NewRun): void {
    const parent = parentRunId === undefined ? undefined : this.runs.get(parentRunId)
    // A handler that was passed twice gets every callback twice.
    if (this.runs.has(runId)) return
    if (parent) {
      const start = () => parent.observation.startObservation(name, attributes, { asType })
      const { traceValues: values } = parent
      const observation = Object.keys(values).length > 0 ? propagateAttributes(values, start) : start()
      this.add(runId, { observation, parentRunId, traceValues: values, hasFirstToken: false })
      return
    }
    const { result, values } = withTraceValues(traceValues, () => startObservation(name, attributes, { asType }))
    this.add(runId, { observation: result, parentRunId: undefined, traceValues: values, hasFirstToken: false })
  }

  has(runId: string): boolean {
    return this.runs.has(runId)
  }

  firstToken(runId: string): void {
    const run = this.runs.get(runId)
    if (!run || run.hasFirstToken) return
    run.hasFirstToken = true
    const observation = run.observation as SvcGeneration
    observation.update({ completionStartTime: new Date() })
  }

  /** Also ends all unfinished descendants. Returns the trace id; undefined for an unknown run. */
  end(runId: string, attributes: SvcGenerationAttributes): string | undefined {
    const run = this.runs.get(runId)
    if (!run) {
      getGlobalLogger().warn(`The end of the LangChain run ${runId} is not recorded: its start was not reported to this handler.`)
      return undefined
    }
    this.runs.delete(runId)
    // Callers pass only attributes of this observation type.
    ;(run.observation as SvcGeneration).update(attributes)
    run.observation.end()
    if (run.parentRunId === undefined) this.endBelow(run.observation.traceId)
    return run.observation.traceId
  }

  private endBelow(traceId: string): void {
    // While the trace still has an active root run, the remaining runs of the trace are not ended.
    for (const { observation, parentRunId } of this.runs.values()) {
      if (observation.traceId === traceId && parentRunId === undefined) return
    }
    for (const [runId, { observation }] of this.runs) {
      if (observation.traceId !== traceId) continue
      this.runs.delete(runId)
      observation.end()
    }
  }

  private add(runId: string, run: Run): void {
    this.runs.set(runId, run)
    if (this.runs.size <= mostRuns) return
    for (const [oldest, { observation }] of this.runs) {
      this.runs.delete(oldest)
      observation.end()
      return
    }
  }
}
