module github.com/condenser-go/condenser/tools

go 1.25.0

require github.com/condenser-go/condenser v0.0.0

replace github.com/condenser-go/condenser => ../
