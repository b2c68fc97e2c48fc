// Records one call as a generation. The generation ends exactly once, and recording never affects the call.
import { getGlobalLogger } from '@svc/core'
import type { SvcGeneration, SvcGenerationAttributes } from '@svc/tracing'
import { keep } from './abandoned.ts'
import { Chunks } from './chunks.ts'
import { replyAttributes } from './reply.ts'
import type { ModelParameters } from './request.ts'
import { addUsage, type Usage, usageOf } from './usage.ts'
import { fieldsOf } from './values.ts'

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || String(error)
}

export class Recording {
  private readonly generation: SvcGeneration
  private readonly parameters: ModelParameters
  private chunks: Chunks
  private hasEnded = false
  private completionStartTime: Date | undefined
  private lastActivity: Date | undefined
  /** Reply of the last finished request. Some methods send several requests. */
  private finished: SvcGenerationAttributes = {}
  private finishedUsage: Usage | undefined

  constructor(generation: SvcGeneration, parameters: ModelParameters) {
    this.generation = generation
    this.parameters = parameters
    this.chunks = new Chunks(parameters)
  }

  reply(reply: unknown): void {
    this.end(() => replyAttributes(reply, this.parameters))
  }

  /** Called when the call failed before any result arrived. */
  fail(error: unknown): void {
    this.end(() => ({ level: 'ERROR', statusMessage: messageOf(error), costDetails: { input: 0, output: 0, total: 0 } }))
  }

  touch(): void {
    this.lastActivity = new Date()
  }

  chunk(chunk: unknown): void {
    if (this.hasEnded) return
    this.touch()
    this.completionStartTime ??= this.lastActivity
    this.safely(() => this.chunks.add(chunk))
  }

  /** Called after each request of a client method that sends several requests. */
  completion(reply: unknown): void {
    this.safely(() => {
      this.finished = replyAttributes(reply, this.parameters)
      this.finishedUsage = addUsage(this.finishedUsage, usageOf(fieldsOf(reply)))
      this.chunks = new Chunks(this.parameters)
    })
  }

  /** Called when the stream has ended or the application has stopped reading it. */
  finish(): void {
    this.end(() => this.arrived())
  }

  leave(): void {
    this.end(() => this.arrived(), this.lastActivity)
  }

  /** The arrived part is recorded, because the application pays for it. */
  failStream(error: unknown): void {
    this.end(() => ({ ...this.arrived(), level: 'ERROR', statusMessage: messageOf(error) }))
  }

  private arrived(): SvcGenerationAttributes {
    const { usageDetails, ...current } = this.chunks.attributes()
    const given = Object.entries(current).filter(([, value]) => value !== undefined && value !== null)
    return {
      completionStartTime: this.completionStartTime,
      ...this.finished,
      ...(Object.fromEntries(given) as SvcGenerationAttributes),
      usageDetails: addUsage(this.finishedUsage, usageDetails as Usage | undefined),
    }
  }

  private end(attributes: () => SvcGenerationAttributes, endTime?: Date): void {
    if (this.hasEnded) return
    this.hasEnded = true
    keep(this)
    this.safely(() => this.generation.update(attributes()))
    this.safely(() => this.generation.end(endTime))
  }

  private safely(record: () => void): void {
    try {
      record()
    } catch (error) {
      getGlobalLogger().debug('A part of an OpenAI call is not recorded.', error)
    }
  }
}
