// Generates tables in Markdown files. A test writes them: `vitest run <test> -u`.

const columnsOf = (line: string): string =>
  line
    .split('|')
    .map(cell => cell.trim())
    .join('|')

/**
 * Replaces each table of the text by the table in `tables` that has equal columns. Throws if the text lacks one of `tables`. To add a
 * table, first add a line with its columns.
 */
export function withTables(markdown: string, tables: readonly string[]): string {
  const lines = markdown.split('\n')
  let from = 0
  for (const table of tables) {
    const [head = '', ...rest] = table.trimEnd().split('\n')
    const start = lines.findIndex((line, place) => place >= from && columnsOf(line) === columnsOf(head))
    if (start < 0) throw new Error(`There is no table of the columns ${head.replaceAll(/ +/g, ' ')} after line ${from}: correct the line.`)
    const end = lines.findIndex((line, place) => place > start && !line.startsWith('|'))
    lines.splice(start, (end < 0 ? lines.length : end) - start, head, ...rest)
    from = start + 1 + rest.length
  }
  return lines.join('\n')
}
