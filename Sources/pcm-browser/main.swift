import PCMApp

await PCMBrowserCommand.start()
