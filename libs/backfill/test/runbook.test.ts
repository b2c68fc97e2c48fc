// The backfill shows a sentence to operators when it refuses, fails or waits. The runbook must have a line for each of these sentences, and
// no other lines.
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')
const sources = [
  ...globSync('libs/backfill/src/*.ts', { cwd: root }),
  'services/backfill-runner/src/app.ts',
  'libs/commands/src/commands/backfill.ts',
]

/** The pattern finds quoted text that the code shows to operators. Interpolated values become `…`. */
const says =
  /(?:new AppError\(\s*'[a-z_]+',|refused\(|show\(\s*'[a-z]+',|const (?:mark|message) =|(?:hard|soft)\(|reason: string[^`']*|return |: )\s*(`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*')/gs

const spoken = (literal: string) => literal.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '…')

/**
 * Returns true for throttle.ts, because operators see every sentence that the functions of throttle.ts return. In other files, operators
 * see only the sentences that the code throws or prints.
 */
const isSpeaker = (path: string) => /throttle\.ts$/.test(path)

function sentencesOf(path: string): readonly string[] {
  const text = read(path)
  return [...text.matchAll(says)]
    .filter(([all]) => isSpeaker(path) || /^(new AppError|refused|show|hard|soft|const (mark|message))/.test(all))
    .map(([, literal]) => spoken(literal!))
    .filter(sentence => sentence.length > 12)
}

/**
 * Sentences for which the runbook needs no line, because they report no problem, or because they are shown only to the person who runs a
 * command.
 */
const others = [
  /^The backfill (is running|is finished|starts|waits: …)$/,
  /^The backfill waits before …, which its variables do not allow/,
  /^The backfill runner is stopping\.$/,
  /^The backfill has not started/,
  /^… %$/,
  /^… failed: …$/,
  /^The backfill failed in …/,
]

const sentences = sources.flatMap(path => sentencesOf(path).map(sentence => ({ path, sentence })))

/**
 * `…` separates the pieces of `words`, which come from a line of the runbook. `sentence` comes from the code. Returns true if `sentence`
 * contains all pieces in the same order as `words`.
 */
const matches = (words: string, sentence: string) => {
  let at = 0
  return words.split('…').every(piece => {
    at = sentence.indexOf(piece.trim(), at)
    return at >= 0
  })
}

const runbook = read('docs/runbooks/backfill.md')
const section = runbook.slice(runbook.indexOf('## Messages, and what to do'), runbook.indexOf('## The proof'))
const rows = section
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, words]) => words!))

test('every sentence has a line in the runbook', () => {
  expect(sentences.length).toBeGreaterThan(15)
  const lost = sentences.filter(
    ({ sentence }) => !others.some(other => other.test(sentence)) && !rows.flat().some(words => matches(words, sentence)),
  )
  expect(lost).toEqual([])
})

test('every line of the runbook has a sentence in the code', () => {
  expect(rows.flat().filter(words => !sentences.some(({ sentence }) => matches(words, sentence)))).toEqual([])
})
