// Threads for work that is too long for the event loop. For example, a JSON body of 64 MiB takes about a second (F29).
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type Transferable, Worker } from 'node:worker_threads'
import { endOfJobs } from './pool-thread.ts'
import { createFairQueue } from './queue.ts'

export interface ThreadSource {
  start(script: URL, workerData: unknown): Worker
  /** Called for each thread when the pool stops. `isIdle` is true if the thread is not running a job. */
  end(worker: Worker, isIdle: boolean): Promise<unknown>
}

/** New threads for each pool. */
export const freshThreads: ThreadSource = {
  start: (script, workerData) => new Worker(script, { workerData }),
  async end(worker, isIdle) {
    worker.ref()
    const exited = once(worker, 'exit')
    worker.postMessage(endOfJobs)
    const isLate = await Promise.race([exited, delay(isIdle ? startMs : jobMs, 'late', { ref: false })])
    if (isLate === 'late') await worker.terminate()
  },
}

// The pool tells a thread to end. If the thread does not end by itself within its time limit, the pool terminates it (see
// `pool-thread.ts`).
/** Time limit of a thread that runs no job when the pool tells the thread to end. Such a thread can still be loading its modules. */
const startMs = 20_000
/** Time limit of a thread that still runs a job when the pool tells the thread to end. The job is possibly stuck. */
const jobMs = 2_000

export interface WorkerPoolOptions {
  readonly script: URL
  readonly size: number
  /**
   * Maximum number of threads for one owner's jobs. By default, one owner can use all threads. If the maximum is one less than the number
   * of threads, a thread is left for other owners.
   */
  readonly maxPerOwner?: number
  /** `workerData` of every thread. */
  readonly workerData?: unknown
  /** Defaults to `freshThreads`. */
  readonly threads?: ThreadSource | undefined
}

export interface WorkerPool<Job, Result> {
  /**
   * Owners are served in turn, and each owner's jobs in the order of the calls. The pool moves the buffers in `transfer` to the thread, so
   * the caller can no longer use them.
   */
  run(job: Job, transfer: readonly Transferable[], owner?: string): Promise<Result>
  readonly waiting: number
  /** Before the first job. */
  start(): void
  /** Rejects waiting jobs immediately. Rejects a running job if the job has not ended two seconds after the call of `stop`. */
  stop(): Promise<void>
}

interface Task<Job, Result> {
  readonly job: Job
  readonly transfer: readonly Transferable[]
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

interface Thread<Job, Result> {
  readonly worker: Worker
  task: Task<Job, Result> | undefined
  owner: string
}

/** One core is left for the event loop. There are at least two threads, so that a single job cannot occupy all. */
export const defaultWorkers = () => Math.max(2, Math.min(4, availableParallelism() - 1))

/** If a thread dies, its job rejects with the cause, and a new thread runs the next job. */
export function createWorkerPool<Job, Result>({
  script,
  size,
  maxPerOwner = size,
  workerData,
  threads: source = freshThreads,
}: WorkerPoolOptions): WorkerPool<Job, Result> {
  const queue = createFairQueue<Task<Job, Result>>()
  const threads = new Set<Thread<Job, Result>>()
  let stopped = false

  const startThread = () => {
    const worker = source.start(script, workerData)
    const thread: Thread<Job, Result> = { worker, task: undefined, owner: '' }
    const lose = (error: unknown) => {
      threads.delete(thread)
      thread.task?.reject(error)
      thread.task = undefined
      dispatch()
    }
    worker.on('message', (result: Result) => {
      thread.task?.resolve(result)
      thread.task = undefined
      if (queue.length === 0) worker.unref()
      dispatch()
    })
    worker.on('error', lose)
    worker.on('exit', code => lose(new Error(`A worker thread ended with code ${code}.`)))
    worker.unref()
    threads.add(thread)
    return thread
  }

  const idleThread = () => {
    for (const thread of threads) if (thread.task === undefined) return thread
    return threads.size < size ? startThread() : undefined
  }

  const mayRun = (owner: string): boolean => {
    let held = 0
    for (const thread of threads) if (thread.task !== undefined && thread.owner === owner) held++
    return held < maxPerOwner
  }

  const dispatch = () => {
    while (queue.length > 0 && !stopped) {
      const thread = idleThread()
      if (thread === undefined) return
      const next = queue.take(mayRun)
      if (next === undefined) return
      const task = next.item
      thread.task = task
      thread.owner = next.owner
      // A shutdown finishes running jobs. A thread without a job does not keep the process alive, so that tests and tools can end.
      thread.worker.ref()
      thread.worker.postMessage(task.job, task.transfer)
    }
  }

  return {
    get waiting() {
      return queue.length
    },
    run(job, transfer, owner = '') {
      return new Promise((resolve, reject) => {
        if (stopped) return reject(new Error('The worker pool is stopped.'))
        queue.push(owner, { job, transfer, resolve, reject })
        dispatch()
      })
    },
    start() {
      while (threads.size < size) startThread()
    },
    async stop() {
      stopped = true
      for (const task of queue.clear()) task.reject(new Error('The worker pool is stopped.'))
      const ending = [...threads]
      threads.clear()
      await Promise.all(ending.map(({ worker, task }) => source.end(worker, task === undefined)))
    },
  }
}
