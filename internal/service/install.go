package service

// Label names the job at launchd.
const Label = "org.shelfd.daemon"
