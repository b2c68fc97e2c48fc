// Formats tables for terminals.

/** The table has left-aligned text, right-aligned numbers, and two spaces between columns. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows.map(row => row.map(String))]
  const widths = header.map((_, column) => cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0))
  const numeric = header.map((_, column) => rows.length > 0 && rows.every(row => typeof row[column] === 'number'))
  return cells
    .map(row => row.map((cell, column) => (numeric[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join('  '))
    .map(line => line.trimEnd())
    .join('\n')
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}

export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}
