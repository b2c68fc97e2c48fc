// The note in an intent, when several destinations have something to say: a section each. That of events_full has no name in front, as every release
// before wrote it: a chunk that is at work during an upgrade, or goes to and fro in a rolling one, is understood by both.
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

/** What the note says about a table; empty: nothing. */
export const noteAbout = (note: string, table: string): string => sectionsOf(note).get(table) ?? ''

export function withNoteAbout(note: string, table: string, section: string): string {
  const sections = new Map(sectionsOf(note)).set(table, section)
  return [...sections].map(([name, text]) => (name === unnamed ? text : `${name}${named}${text}`)).join(between)
}
