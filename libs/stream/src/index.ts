export { type Backoff, type BackoffOptions, createBackoff, isTransient } from './backoff.ts'
export { type Chunk, type ChunkLimits, chunkOf, cutChunks, finishedPrefix, type Range, type Rejection, type Weight } from './chunk.ts'
export { createDeadLetters, type DeadLetterItem, type DeadLetterOptions, type DeadLetters } from './dead-letter.ts'
export type { DeadLetterLimit, Tally } from './dead-letter-limit.ts'
export { type Envelope, envelopeOf, withPayload } from './envelope.ts'
export { createFairQueue, type FairQueue } from './fair-queue.ts'
export { createFairTurns, type FairTurns } from './fair-turns.ts'
export type { Intent } from './intent.ts'
export { type KeepAlive, keepAlive } from './keep-alive.ts'
export {
  type ChunkContext,
  createRunner,
  type Pipeline,
  type Prepared,
  type Runner,
  type RunnerEvents,
  type RunnerOptions,
} from './runner.ts'
export { defer, drop, emit, pipe, reject, runStage, type Stage, type StageResult } from './stage.ts'
export { createWorkerPool, defaultWorkers, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'
