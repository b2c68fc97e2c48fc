import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { openSession } from '@svc-server/owner/session'
import { openStore } from '@svc-server/owner/store'
import { temporaryDirectory } from '@svc-server/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { openTraceState } from '../../src/state/index.ts'
import type { Numbers } from '../../src/state/layout.ts'
import { idOf, keys } from '../../src/state/layout.ts'
import { createTable, type Table } from '../../src/state/table.ts'
import { answersOf, createModel, hour, openWorld, put, specs, startMs, topic, traceKeyOf, windowOf } from './world.ts'

const program = fileURLToPath(new URL('./crashing-child.ts', import.meta.url))

interface Said {
  readonly opened?: true
  readonly round?: number
  readonly traces?: number
  readonly failed?: string
  readonly message?: string
  readonly reason?: string
}

/** Runs the child until it ends or `enough` accepts its output. Returns the output. */
async function runChild(
  work: 'fill' | 'ask',
  directories: readonly string[],
  enough: (said: Said) => boolean = () => false,
  maxFileKiB?: number,
) {
  const limit = maxFileKiB === undefined ? '' : `ulimit -f ${maxFileKiB} && `
  const child = spawn('bash', ['-c', `${limit}exec "$0" "$@"`, process.execPath, program, work, ...directories], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said: Said[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // A kill can cut off the last line.
    if (!line.endsWith('}')) break
    const one = JSON.parse(line) as Said
    said.push(one)
    if (enough(one)) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return { said, signal: child.signalCode, exitCode: child.exitCode }
}

async function readModel(logDirectory: string) {
  const log = await openEmbeddedLog({ directory: logDirectory, topics: specs(1) })
  const end = (await log.describe()).find(({ spec }) => spec.name === topic)!.partitions[0]!.highWatermark
  const model = createModel(48 * hour)
  for (let number = 0; number < end; number++) {
    const window = windowOf((number % 3) * 100, { endMs: startMs + number, fill: `${number % 2}`.padStart(16, '0') })
    model.put(traceKeyOf('alpha', Math.floor(number / 3)), window)
  }
  return { log, model, keys: Array.from({ length: Math.ceil(end / 3) }, (_, trace) => traceKeyOf('alpha', trace)) }
}

test('F23 · a state that is killed repeatedly while catching up continues from its checkpoint and equals the fold of the log', async () => {
  const root = await temporaryDirectory()
  onTestFinished(() => root.remove())
  const directories = [join(root.path, 'log'), join(root.path, 'state')]
  for (let kill = 0; kill < 3; kill++) {
    const rounds = 2 + Math.floor(Math.random() * 12)
    const { signal, said } = await runChild('fill', directories, ({ round }) => round === rounds)
    expect(signal).toBe('SIGKILL')
    expect(said.filter(({ message }) => message !== undefined)).toEqual([])
  }
  const { log, model, keys } = await readModel(directories[0]!)
  onTestFinished(() => log.close())
  const lines: string[] = []
  const logger = { info: () => {}, warn: (_: unknown, message?: string) => void lines.push(message!), error: () => {} }
  const state = await openTraceState({ directory: directories[1]!, log, logger })
  onTestFinished(() => state.close())
  const { applied } = await state.catchUp(0)
  expect(applied).toBeLessThan(keys.length * 3)
  const some = keys.filter((_, index) => index % 997 === 0 || index > keys.length - 20)
  expect(answersOf(state, 0, some, []).windows).toEqual(model.answers(some, []).windows)
  expect(state.size()).toMatchObject({ traces: keys.length })
  // Each trace with more than one window needs a repair, and no other trace needs one.
  expect(state.pendingCount(0)).toBe(state.pending(0, 1_000_000).length)
  expect(state.projectTraces(0, 'alpha')).toBe(keys.length)
  expect(lines).toEqual([])
})

async function closedState() {
  const world = await openWorld()
  const state = await world.openState()
  const key = traceKeyOf('alpha', 1)
  await world.log.append(topic, [put(key, windowOf(0))])
  await state.catchUp(0)
  await state.close()
  const file = (name: string) => join(world.stateDirectory, name)
  const session = () => JSON.parse(readFileSync(file('session.json'), 'utf8')) as object
  return {
    ...world,
    file,
    session,
    changeSession: (changes: object) => writeFileSync(file('session.json'), JSON.stringify({ ...session(), ...changes })),
    async openAgain() {
      const again = await world.openState()
      const { applied } = await again.catchUp(0)
      expect(again.newest(0, key)).toEqual(windowOf(0))
      return { state: again, isRebuilt: applied === 1, warnings: world.lines.map(({ fields }) => fields['reason']) }
    },
  }
}

test('a state that was closed properly reads nothing twice when opened again', async () => {
  const { openAgain } = await closedState()
  expect(await openAgain()).toMatchObject({ isRebuilt: false, warnings: [] })
})

test('a state that was closed properly is trusted after another boot of the machine', async () => {
  const { changeSession, openAgain } = await closedState()
  changeSession({ bootId: 'another' })
  expect(await openAgain()).toMatchObject({ isRebuilt: false, warnings: [] })
})

test('a state that was open when the machine stopped is not trusted', async () => {
  const { changeSession, openAgain } = await closedState()
  changeSession({ bootId: 'another', open: true })
  expect(await openAgain()).toMatchObject({ isRebuilt: true, warnings: ['the machine stopped before the files were on its disk'] })
})

test('on a system without boot ids commits are forced to the disk, and an open state is trusted', async () => {
  const { stateDirectory, file, changeSession } = await closedState()
  expect(openSession(stateDirectory, file('data.mdb'), null)).toMatchObject({ mayDefer: false })
  changeSession({ bootId: null, open: true })
  expect(openSession(stateDirectory, file('data.mdb'), 'a boot')).toMatchObject({ mayDefer: true, distrust: null })
})

test.each([
  ['another version', ({ changeSession }) => changeSession({ format: 0 }), 'a different version wrote the files'],
  [
    'the version that read project ids up to the last slash',
    ({ changeSession }) => changeSession({ format: 1 }),
    'a different version wrote the files',
  ],
  ['no session file', ({ file }) => rmSync(file('session.json')), 'a different version wrote the files'],
  ['an empty file', ({ file }) => truncateSync(file('data.mdb'), 0), 'the files are not those of a store'],
  [
    'only zeros behind the first pages',
    ({ file }) => {
      const bytes = readFileSync(file('data.mdb'))
      writeFileSync(file('data.mdb'), bytes.fill(0, 2 * 4096))
    },
    expect.stringMatching(/^the files are damaged: MDB_/),
  ],
  ['another file', ({ file }) => writeFileSync(file('data.mdb'), 'x'.repeat(100_000)), 'the files are not those of a store'],
] satisfies [string, (closed: Awaited<ReturnType<typeof closedState>>) => void, unknown][])(
  'files that cannot be read: %s',
  async (_, damage, reason) => {
    const closed = await closedState()
    damage(closed)
    expect(await closed.openAgain()).toMatchObject({ isRebuilt: true, warnings: [reason] })
  },
)

test('damage that is found during a read is reported, and the next opening begins with empty files', async () => {
  const world = await openWorld()
  const faults: unknown[] = []
  const key = traceKeyOf('alpha', 1)
  await world.log.append(topic, [put(key, windowOf(0))])
  const state = await world.openState({ onFault: error => void faults.push(error) })
  await state.catchUp(0)
  await state.close()
  // Deletes a window to which the index still refers.
  const store = openStore<Table, Numbers>({
    directory: world.stateDirectory,
    name: 'The trace state',
    createTable,
    partitions: 2,
    logger: { warn: () => {} },
  })
  const [entry] = store.tables[0]!.entries(idOf(key))
  await store.write(0, { clear: false, operations: [{ key: keys.window(entry!) }], numbers: store.tables[0]!.numbers()! })
  await store.close()

  const damaged = await world.openState({ onFault: error => void faults.push(error) })
  await damaged.catchUp(0)
  expect(() => damaged.newest(0, key)).toThrow('missing')
  expect(faults).toHaveLength(1)
  await damaged.close()
  const again = await world.openState()
  expect(await again.catchUp(0)).toMatchObject({ applied: 1 })
  expect(again.newest(0, key)).toEqual(windowOf(0))
})

test('random pages never keep the process from restarting', async () => {
  const root = await temporaryDirectory()
  onTestFinished(() => root.remove())
  const directories = [join(root.path, 'log'), join(root.path, 'state')]
  await runChild('fill', directories, ({ round }) => round === 6)
  const file = join(directories[1]!, 'data.mdb')
  const fd = openSync(file, 'r+')
  for (let at = 2 * 4096; at < statSync(file).size; at += 4096) writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, at)
  closeSync(fd)
  const { log, keys: traceKeys } = await readModel(directories[0]!)
  await log.close()
  // A process that reads damaged files can die. The test then starts it again, as a supervisor would.
  const outcomes: Awaited<ReturnType<typeof runChild>>[] = []
  do outcomes.push(await runChild('ask', directories))
  while (outcomes.at(-1)!.exitCode !== 0 && outcomes.length < 6)
  expect(outcomes.at(-1)!.said.at(-1)).toMatchObject({ traces: traceKeys.length })
  expect(outcomes.flatMap(({ said }) => said.flatMap(({ reason }) => reason ?? []))).toHaveLength(1)
})

test('F36 · a full disk is reported as such, leaves no partial transaction, and the state continues once there is space', async () => {
  const root = await temporaryDirectory()
  onTestFinished(() => root.remove())
  const directories = [join(root.path, 'log'), join(root.path, 'state')]
  await runChild('fill', [directories[0]!, join(root.path, 'other')], ({ round }) => round === 20)
  // A limit on the file size simulates a full disk.
  const full = await runChild('ask', directories, undefined, 1000)
  expect(full).toMatchObject({ exitCode: 0, said: [{ opened: true }, { failed: 'state_unavailable' }, {}] })
  const { log, keys: traceKeys } = await readModel(directories[0]!)
  await log.close()
  expect(full.said.at(-1)!.traces).toBeLessThan(traceKeys.length)
  expect((await runChild('ask', directories)).said).toMatchObject([{ opened: true }, { traces: traceKeys.length }])
})

test('a directory that cannot be written is reported as such', async () => {
  const world = await openWorld()
  writeFileSync(world.stateDirectory, 'a file where the directory should be')
  await expect(world.openState()).rejects.toMatchObject({ code: 'state_unavailable' })
})

test('a directory of another propagator is refused, and the error names its process', async () => {
  const world = await openWorld()
  const state = await world.openState()
  await expect(world.openState()).rejects.toMatchObject({ code: 'data_dir_locked', message: expect.stringContaining(String(process.pid)) })
  await state.close()
  await (await world.openState()).close()
})
