// Draws random sentences from comments, from texts that users see, and from documents. A reader can then check that the sentences are
// plain. Usage: node tools/checks/sentences.ts [how many] [seed]. The output contains the file, the line and the text around each sentence,
// because a reader of a comment also sees the code.
import { createHash } from 'node:crypto'
import { texts } from './texts.ts'

const [count = '50', seed = '1'] = process.argv.slice(2)

interface Passage {
  readonly text: string
  /** Position of the passage in the text, in characters. */
  readonly at: number
  readonly around: string
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const lineAt = (source: string, at: number): string =>
  source
    .slice(source.lastIndexOf('\n', at) + 1)
    .split('\n', 1)[0]!
    .trim()

function passagesOfSource(source: string): Passage[] {
  const comments = [...source.matchAll(/(?:^[ \t]*\/\/.*\n?)+|^[ \t]*\/\*\*[\s\S]*?\*\//gm)].map(({ 0: comment, index }) => {
    const text = comment.replaceAll(/^[ \t]*(?:\/\/|\/\*\*|\*\/?)|\*\/$/gm, ' ')
    const code = source
      .slice(index + comment.length)
      .split('\n', 3)
      .map(oneLine)
      .filter(line => line !== '')
    return { text, at: index, around: `${oneLine(text)} | ${code.slice(0, 2).join(' ')}` }
  })
  const strings = [...source.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)]
    .map(({ 0: quoted, index }) => ({ text: quoted.slice(1, -1), at: index, around: lineAt(source, index) }))
    .filter(({ text }) => /^[A-Z].* .* .*\.$/.test(text))
  return [...comments, ...strings]
}

/** Returns the passages of a document. Each table cell is a separate passage, because the cells of a row do not form a sentence. */
function passagesOfDocument(markdown: string): Passage[] {
  const passages: Passage[] = []
  let [heading, header, previous] = ['', '', '']
  const hidden = markdown.replaceAll(/```[\s\S]*?```/g, block => block.replaceAll(/[^\n]/g, ' '))
  for (const { 0: block, index } of hidden.matchAll(
    /(?:^[ \t]*\|.*$)|(?:^(?![ \t]*\|).*\S.*$(?:\n(?![ \t]*(?:[-*>]|#+|\d+\.)[ \t]|[ \t]*\||[ \t]*$).*)*)/gm,
  )) {
    if (/^#+ /.test(block)) heading = oneLine(block)
    const isRow = /^\s*\|/.test(block)
    if (isRow && !/^\s*\|/.test(previous)) header = oneLine(block)
    const around = isRow ? `${heading} | ${header} | ${oneLine(block)}` : `${heading} | ${oneLine(previous)} | ${oneLine(block)}`
    for (const text of isRow ? block.split(/(?<!\\)\|/) : [block.replace(/^[ \t]*(?:[-*>]|#+|\d+\.)[ \t]/, '')])
      passages.push({ text, at: index, around })
    previous = block
  }
  return passages
}

const sentencesOf = (path: string, source: string) =>
  (path.endsWith('.md') ? passagesOfDocument(source) : passagesOfSource(source)).flatMap(({ text, at, around }) =>
    oneLine(text)
      .split(/(?<=[.])\s+(?=[A-Z`])/)
      .filter(sentence => sentence.split(' ').length >= 6)
      .map(sentence => ({ path, sentence, line: source.slice(0, at).split('\n').length, around })),
  )

const drawn = texts('ts,tsx,mjs,md')
  // docs/api.md is left out, because its sentences are copied from libs/api.
  .filter(({ path }) => path !== 'docs/api.md')
  .flatMap(({ path, text }) => sentencesOf(path, text))
  .map(each => ({ ...each, order: createHash('sha256').update(`${seed} ${each.path} ${each.sentence}`).digest('hex') }))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
  .slice(0, Number(count))

for (const { path, line, sentence, around } of drawn)
  process.stdout.write(
    `${path}:${line}\n  ${sentence}\n${around.includes(sentence) && oneLine(around) !== sentence ? `      ${around}\n` : ''}`,
  )
