// Draws random sentences from comments, user-facing strings, and documents, for a reader who checks that they are plain: node
// tools/checks/sentences.ts [how many] [seed]
import { createHash } from 'node:crypto'
import { texts } from './texts.ts'

const [count = '50', seed = '1'] = process.argv.slice(2)
/** Text for people in a source file: comments joined over lines, and strings that are sentences. */
function textsOf(source: string): string[] {
  const comments = source.match(/(?:^[ \t]*\/\/.*\n?)+|\/\*\*[\s\S]*?\*\//gm) ?? []
  const strings = source.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []
  const bare = comments.map(comment => comment.replaceAll(/^[ \t]*(?:\/\/|\/\*\*|\*\/?)|\*\/$/gm, ' '))
  return [...bare, ...strings.map(text => text.slice(1, -1)).filter(text => /^[A-Z].* .* .*\.$/.test(text))]
}

function sentencesOf(path: string, text: string): string[] {
  const parts = path.endsWith('.md') ? text.replaceAll(/```[\s\S]*?```/g, '').split(/\n(?:\n|[-*|#>\d])/) : textsOf(text)
  return parts
    .flatMap(each => each.replaceAll(/\s+/g, ' ').split(/(?<=[.])\s+(?=[A-Z`])/))
    .map(sentence => sentence.replaceAll(/[ |]+/g, ' ').trim())
    .filter(sentence => sentence.split(' ').length >= 6)
}

const drawn = texts('ts,tsx,mjs,md')
  // Skips generated documents, and decisions, which keep the words of their time.
  .filter(({ path }) => path !== 'docs/api.md' && !/(^|\/)(examples|adr)\//.test(path))
  .flatMap(({ path, text }) => sentencesOf(path, text).map(sentence => ({ path, sentence })))
  .map(each => ({ ...each, order: createHash('sha256').update(`${seed} ${each.path} ${each.sentence}`).digest('hex') }))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
  .slice(0, Number(count))

for (const { path, sentence } of drawn) process.stdout.write(`${path}\n  ${sentence}\n`)
