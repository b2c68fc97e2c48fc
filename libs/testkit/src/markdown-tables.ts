// Tables in Markdown files that are made from code. Their tests write them: `vitest run <test> -u`.

const columnsOf = (line: string): string =>
  line
    .split('|')
    .map(cell => cell.trim())
    .join('|')

/**
 * The text with `tables` in place of its tables of the same columns, in their order. Throws where there is
 * none: a new one begins with a line of its columns.
 */
export function withTables(markdown: string, tables: readonly string[]): string {
  const lines = markdown.split('\n')
  let from = 0
  for (const table of tables) {
    const [head = '', ...rest] = table.trimEnd().split('\n')
    const start = lines.findIndex((line, place) => place >= from && columnsOf(line) === columnsOf(head))
    if (start < 0)
      throw new Error(
        `There is no table of the columns ${head.replaceAll(/ +/g, ' ')} behind line ${from}: put that line where it belongs.`,
      )
    const end = lines.findIndex((line, place) => place > start && !line.startsWith('|'))
    lines.splice(start, (end < 0 ? lines.length : end) - start, head, ...rest)
    from = start + 1 + rest.length
  }
  return lines.join('\n')
}
