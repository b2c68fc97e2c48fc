export { type Backoff, isTransient } from './backoff.ts'
export { type Chunk, chunkOf, cutChunks, finishedPrefix, type Rejection, type Weight } from './chunk.ts'
export { createDeadLetters, type DeadLetterItem, type DeadLetters } from './dead-letter.ts'
export type { Tally } from './dead-letter-limit.ts'
export { type Envelope, envelopeOf, withPayload } from './envelope.ts'
export { createFairTurns } from './fair-turns.ts'
export { keepAlive } from './keep-alive.ts'
export {
  type ChunkContext,
  createRunner,
  type Pipeline,
  type Runner,
  type RunnerEvents,
  type RunnerOptions,
} from './runner.ts'
export { defer, drop, emit, pipe, reject, runStage, type Stage, type StageResult } from './stage.ts'
export { createWorkerPool, defaultWorkers, type WorkerPool } from './worker-pool.ts'
