// Draws random sentences from comments, user-facing strings, and documents, for a reader who checks that they are plain: node
// tools/checks/sentences.ts [how many] [seed]
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const [count = '50', seed = '1'] = process.argv.slice(2)
const apart = /(^|\/)(\.[^/]+|node_modules|dist|data|golden|recorded|fixtures|examples|adr)(\/|$)/

/** Text for people in a source file: comments joined over lines, and strings that are sentences. */
function textsOf(source: string): string[] {
  const comments = source.match(/(?:^[ \t]*\/\/.*\n?)+|\/\*\*[\s\S]*?\*\//gm) ?? []
  const strings = source.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []
  const bare = comments.map(comment => comment.replaceAll(/^[ \t]*(?:\/\/|\/\*\*|\*\/?)|\*\/$/gm, ' '))
  return [...bare, ...strings.map(text => text.slice(1, -1)).filter(text => /^[A-Z].* .* .*\.$/.test(text))]
}

function sentencesOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const texts = path.endsWith('.md') ? text.replaceAll(/```[\s\S]*?```/g, '').split(/\n(?:\n|[-*|#>\d])/) : textsOf(text)
  return texts
    .flatMap(each => each.replaceAll(/\s+/g, ' ').split(/(?<=[.:])\s+(?=[A-Z`])/))
    .map(sentence => sentence.replaceAll(/[ |]+/g, ' ').trim())
    .filter(sentence => sentence.split(' ').length >= 6)
}

const drawn = globSync('**/*.{ts,tsx,mjs,md}', { cwd: root, exclude: path => apart.test(path) })
  .filter(path => path !== 'docs/api.md')
  .sort()
  .flatMap(path => sentencesOf(path).map(sentence => ({ path, sentence })))
  .map(each => ({ ...each, order: createHash('sha256').update(`${seed} ${each.path} ${each.sentence}`).digest('hex') }))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
  .slice(0, Number(count))

for (const { path, sentence } of drawn) process.stdout.write(`${path}\n  ${sentence}\n`)
