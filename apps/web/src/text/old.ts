// Texts of the pages that read the tables of v3.

export const oldText = {
  tables: 'Tables',
  names: { new: 'New', old: 'Old' },
  help: 'Show the data of the new tables, or of the tables of v3. Only you see your choice.',
  title: 'Observations in the old tables',
  explains: 'Observations as v3 stored them, newest first. To search contents, sort, add columns or see the histogram, use the new tables.',
  setAside: (terms: string) => `Not applied, because the old tables cannot be filtered by it: ${terms}`,
  noId: (id: string) => `The old tables of this project have no trace or observation with the id ${id}.`,
  liveHelp: 'Live: reads new rows every 3 seconds',
  empty: 'No observation in this range',
  more: 'Show older ones',
  needsNew: 'This page needs the new tables',
  switchHelp: 'Choose “New” in the bar at the top to see it.',
  waitHelp: 'This installation does not read the new tables yet.',
  noSearch: 'contents can be searched in the new tables only',
  columns: { time: 'Time', name: 'Name', model: 'Model', latency: 'Latency', tokens: 'Tokens', cost: 'Cost' },
  source: 'old tables',
} as const
