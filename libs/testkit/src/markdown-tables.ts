// Updates generated tables in Markdown files. To write the tables, run the test of the file: `vitest run <test> -u`.

const columnsOf = (line: string): string =>
  line
    .split('|')
    .map(cell => cell.trim())
    .join('|')

/**
 * Replaces tables in a text. Each element of `tables` replaces the table that has the same columns. Throws if the text has no table with
 * these columns. To add a table to a text, first add a line with the columns of the table.
 */
export function withTables(markdown: string, tables: readonly string[]): string {
  const lines = markdown.split('\n')
  let from = 0
  for (const table of tables) {
    const [head = '', ...rest] = table.trimEnd().split('\n')
    const start = lines.findIndex((line, place) => place >= from && columnsOf(line) === columnsOf(head))
    if (start < 0)
      throw new Error(
        `There is no table with the columns ${head.replaceAll(/ +/g, ' ')} after line ${from}: add or correct the line with these columns.`,
      )
    const end = lines.findIndex((line, place) => place > start && !line.startsWith('|'))
    lines.splice(start, (end < 0 ? lines.length : end) - start, head, ...rest)
    from = start + 1 + rest.length
  }
  return lines.join('\n')
}
