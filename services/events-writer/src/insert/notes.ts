// The note in an intent has a section for each destination. The section of events_full has no name, so that older writers
// can read this section during a rolling upgrade.
const unnamed = 'events_full'
const between = ';'
const named = '='

const sectionsOf = (note: string): ReadonlyMap<string, string> =>
  new Map(
    (note === '' ? [] : note.split(between)).map(section => {
      const at = section.indexOf(named)
      return at < 0 ? ([unnamed, section] as const) : ([section.slice(0, at), section.slice(at + 1)] as const)
    }),
  )

export const noteAbout = (note: string, table: string): string => sectionsOf(note).get(table) ?? ''

export function withNoteAbout(note: string, table: string, section: string): string {
  const sections = new Map(sectionsOf(note)).set(table, section)
  return [...sections].map(([name, text]) => (name === unnamed ? text : `${name}${named}${text}`)).join(between)
}
