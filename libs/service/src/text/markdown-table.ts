// Formats Markdown tables like the repository's formatter.

const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim()

export const markdownTable = (header: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = [header, ...rows].map(row => row.map(escapeCell))
  const widths = header.map((_, column) => cells.reduce((widest, row) => Math.max(widest, row[column]!.length), 3))
  const line = (row: readonly string[]) => `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`
  const [head, ...body] = cells.map(line)
  return [head, rule, ...body, ''].join('\n')
}
