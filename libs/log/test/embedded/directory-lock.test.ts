import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from '../../src/embedded/directory-lock.ts'
import { temporaryDirectory } from './embedded-log.ts'

const nobody = JSON.stringify({ pid: 2 ** 30, started: '1' })

async function startChild(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./racing-child.ts', import.meta.url)))
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

const answerOf = async (child: ChildProcess, directory: string, atMs = 0): Promise<string> => {
  const answer = once(child, 'message')
  child.send({ directory, atMs })
  return (await answer)[0] as string
}

test('the owner file does not decide about the lock, because it may be out of date', async () => {
  const directory = temporaryDirectory()
  const release = lockDirectory(directory, 'The event log')
  writeFileSync(join(directory, 'owner.json'), nobody)
  const child = await startChild()
  expect(await answerOf(child, directory)).toBe('data_dir_locked')
  release()
  expect(await answerOf(child, directory)).toBe('taken')
})

test('only one of three processes that start at once after a crash gets the directory', async () => {
  const base = temporaryDirectory()
  const children = await Promise.all([startChild(), startChild(), startChild()])
  for (let round = 0; round < 25; round++) {
    const directory = join(base, `${round}`)
    mkdirSync(directory)
    writeFileSync(join(directory, 'owner.json'), nobody)
    const atMs = Date.now() + 8
    const answers = await Promise.all(children.map(child => answerOf(child, directory, atMs)))
    expect(answers.sort()).toEqual(['data_dir_locked', 'data_dir_locked', 'taken'])
  }
})

test('a second release of a lock does not release the next holder’s lock, and other errors are not reported as a lock', () => {
  const directory = temporaryDirectory()
  const release = lockDirectory(directory, 'The event log')
  release()
  const again = lockDirectory(directory, 'The event log')
  release()
  expect(() => lockDirectory(directory, 'The event log')).toThrow(
    `The event log in ${directory} is already open in process ${process.pid}.`,
  )
  again()
  writeFileSync(join(directory, 'file'), '')
  expect(() => lockDirectory(join(directory, 'file'), 'The event log')).toThrow('EEXIST')
})
