import { afterEach, describe, expect, test } from 'vitest'
import { createWorkerPool, freshThreads, type WorkerPool } from '../src/worker-pool.ts'

const threadSide = import.meta.resolve('../src/pool-thread.ts')
const script = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(`import { serveJobs } from '${threadSide}'\n${code}`)}`)

/**
 * A worker that returns each job unchanged. The jobs `crash` and `exit` end the thread. A job that is a number keeps the thread busy for
 * this number of milliseconds.
 */
const echo = script(`
  serveJobs((job, port) => {
    if (job === 'crash') throw new TypeError('crashed')
    if (job === 'exit') process.exit(7)
    const until = performance.now() + (typeof job === 'number' ? job : 0)
    while (performance.now() < until);
    port.postMessage(job)
  })`)

const pools: WorkerPool<unknown, unknown>[] = []
const open = (url: URL, size: number, maxPerOwner = size) => {
  const pool = createWorkerPool<unknown, unknown>({ script: url, size, maxPerOwner })
  pools.push(pool)
  return pool
}
afterEach(() => Promise.all(pools.splice(0).map(pool => pool.stop())))

describe('worker pool', () => {
  test('every job gets its own result, regardless of the number of waiting jobs', async () => {
    const pool = open(echo, 2)
    const jobs = Array.from({ length: 50 }, (_, job) => ({ job }))
    expect(await Promise.all(jobs.map(job => pool.run(job, [])))).toEqual(jobs)
    expect(pool.waiting).toBe(0)
  })

  test('a buffer is moved, not copied', async () => {
    const pool = open(echo, 1)
    const bytes = new Uint8Array(1000)
    const answer = await pool.run(bytes, [bytes.buffer])
    expect([bytes.length, (answer as Uint8Array).length]).toEqual([0, 1000])
  })

  test.each([
    ['crash', 'crashed'],
    ['exit', 'code 7'],
  ])('a thread that ends (%s) fails only its own job, and the next job gets a new thread', async (job, message) => {
    const pool = open(echo, 1)
    const outcomes = await Promise.allSettled([pool.run('a', []), pool.run(job, []), pool.run('b', []), pool.run('c', [])])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(String((outcomes[1] as PromiseRejectedResult).reason)).toContain(message)
  })

  test('a script that cannot be loaded fails its jobs and is not restarted repeatedly', async () => {
    const pool = open(script('import { missing } from "node:path"'), 1)
    pool.start()
    const outcomes = await Promise.allSettled([pool.run(1, []), pool.run(2, [])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('F26 · owners alternate: a job does not wait for all earlier jobs of another owner', async () => {
    const pool = open(echo, 1)
    const done: string[] = []
    const run = (owner: string, job: string) => pool.run(job, [], owner).then(() => done.push(job))
    const flood = Array.from({ length: 20 }, (_, i) => run('flood', `flood ${i}`))
    await Promise.all([run('neighbor', 'neighbor'), ...flood])
    expect(done.indexOf('neighbor')).toBeLessThanOrEqual(2)
    expect(done.filter(job => job !== 'neighbor')).toEqual(flood.map((_, i) => `flood ${i}`))
  })

  test('F26 · an owner never occupies all threads, so that a job of another owner starts immediately', async () => {
    const pool = open(echo, 2, 1)
    const flood = Promise.allSettled([pool.run(60_000, [], 'flood'), pool.run(60_000, [], 'flood')])
    expect(await pool.run('neighbor', [], 'neighbor')).toBe('neighbor')
    expect(pool.waiting).toBe(1)
    await pool.stop()
    await flood
  })

  test('`stop` rejects waiting jobs, and running jobs that take longer than the grace period', async () => {
    const pool = open(echo, 1)
    const jobs = Promise.allSettled([pool.run(60_000, []), pool.run('waits', [])])
    await pool.stop()
    expect((await jobs).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(pool.run('late', [])).rejects.toThrow('stopped')
  })

  test('a thread that is still loading its modules, or finishing a job, ends by itself', async () => {
    const codes: number[] = []
    const threads = {
      start: (...args: Parameters<typeof freshThreads.start>) => freshThreads.start(...args).once('exit', code => codes.push(code)),
      end: freshThreads.end,
    }
    const pool = createWorkerPool<unknown, unknown>({ script: echo, size: 2, threads })
    const job = pool.run(300, [])
    pool.start()
    await pool.stop()
    expect([await job, codes]).toEqual([300, [0, 0]])
  })

  test('the thread source gets each thread back once, together with whether the thread is idle', async () => {
    const ended: boolean[] = []
    const threads = {
      start: freshThreads.start,
      end: (...[worker, isIdle]: Parameters<typeof freshThreads.end>) => {
        ended.push(isIdle)
        return freshThreads.end(worker, isIdle)
      },
    }
    const pool = createWorkerPool<unknown, unknown>({ script: echo, size: 2, threads })
    const long = Promise.allSettled([pool.run(60_000, [])])
    await pool.run('short', [])
    await Promise.all([pool.stop(), pool.stop()])
    expect(ended.toSorted()).toEqual([false, true])
    expect((await long)[0]!.status).toBe('rejected')
  })
})
