export { type Environment, type LoadedSettings, loadSettings } from './load-settings.ts'
export { mapped, type Profile, type Setting, type Settings, setting, type ValuesOf } from './setting.ts'
export { settingsHelp, settingsTable } from './settings-table.ts'
